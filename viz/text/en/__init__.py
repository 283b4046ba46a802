"""The English words: a module for each tab, one for the page, one for rooms and presenting."""

from viz.text.en import classroom, explore, generate, mask, page, permute

MESSAGES: dict[str, str] = {
    **page.MESSAGES,
    **classroom.MESSAGES,
    **explore.MESSAGES,
    **generate.MESSAGES,
    **mask.MESSAGES,
    **permute.MESSAGES,
}
