"""The English words: a module for each tab, a package for Learn, one for the page, one for rooms, the glossary."""

from viz.text.en import classroom, explore, generate, glossary, learn, mask, page, permute

MESSAGES: dict[str, str] = {
    **page.MESSAGES,
    **classroom.MESSAGES,
    **glossary.MESSAGES,
    **learn.MESSAGES,
    **explore.MESSAGES,
    **generate.MESSAGES,
    **mask.MESSAGES,
    **permute.MESSAGES,
}
