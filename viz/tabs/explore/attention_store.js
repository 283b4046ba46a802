// Brings what Python answers to the browser's store, and asks again for a pass that the server no longer holds.
const receive = () => former.store.receive(props.value, () => trigger("expired"));
watch("value", receive);
former.followers.explore = (params) => former.store.follow(params, (asked) => trigger("followed", asked));
receive();
