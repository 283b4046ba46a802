"""The English words: a module for each tab, one for the page, one for rooms and presenting, the glossary."""

from viz.text.en import classroom, explore, generate, glossary, mask, page, permute

MESSAGES: dict[str, str] = {
    **page.MESSAGES,
    **classroom.MESSAGES,
    **glossary.MESSAGES,
    **explore.MESSAGES,
    **generate.MESSAGES,
    **mask.MESSAGES,
    **permute.MESSAGES,
}
