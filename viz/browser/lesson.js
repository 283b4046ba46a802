// One sentence a tab: what to look at, made from the numbers on the screen; and where the article says more.
const { h } = former;
const sentence = h("p", { class: "sentence", "aria-live": "polite" });
const { tab, section, href } = props.value;
element.dataset.tab = tab;
const anchor = h("a", { href, target: "_blank", rel: "noopener noreferrer", title: former.say("lesson_hint") }, former.say("lesson_article", { section }));
element.append(sentence, former.glossary(), anchor);
former.lessons.attach(tab, sentence, anchor);
