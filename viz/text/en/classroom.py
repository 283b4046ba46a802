"""Presenting, rooms and a server that is gone says."""

from __future__ import annotations

MESSAGES = {
    "class_open": "In class",
    "class_present": "Present",
    "class_present_hint": "One panel at a time, large; the arrow keys go on, Escape ends (key P)",
    "class_room": "Lead a room",
    "class_room_name": "Room’s name",
    "class_room_go": "Lead",
    "class_room_hint": "Letters, digits, hyphens. Pages in the room show what this one shows, until they are touched.",
    "class_room_link": "Link for the class",
    "class_room_copy": "Copy",
    "class_room_copied": "Copied",
    "class_room_end": "Stop leading",
    "room_leading": "You lead the room “{room}”: pages that follow it show what this one shows.",
    "room_following": "You follow the room “{room}”. Touch anything to look on your own.",
    "room_alone": "You look on your own; the room “{room}” goes on without you.",
    "room_waiting": "Nobody leads the room “{room}” yet. This page will follow as soon as somebody does.",
    "room_back": "Follow again",
    "room_leave": "Leave",
    "server_lost": "The server does not answer. What you see stays; the page goes on as soon as the server is back.",
    "server_back": "The server was started anew. This page has been loaded again, with the same view.",
    "presenting_at": "{at} of {count} · {panel}",
    "presenting_room": "Room “{room}”",
    "presenting_keys": "← → next panel · Esc ends",
    # refusals
    "bad_room": "A room's name is made of letters, digits and hyphens, 40 at the most; “{given}” is not.",
    "taken_room": "Somebody else is leading the room “{name}”. Choose another name.",
    "full_rooms": "Very many rooms are open just now. Please try again later.",
    "long_view": "This view is too long to be followed: {given, number} characters; the limit is {limit, number}.",
}
