// Brings what Python answers to the browser's store, asks again where it must, and marks what is on screen as old while it
// is not what was asked for.
const { store, say } = former;
const receive = () => store.receive(props.value);
store.ask = () => trigger("expired");
watch("value", receive);
former.followers.explore = (params) => store.follow(params, (asked) => trigger("followed", asked));
receive();

store.subscribe(element, (changed) => {
  if (!changed.has("old")) return;
  const tab = element.closest("[role=tabpanel]");
  tab?.classList.toggle("explore-old", Boolean(store.old));
  tab?.style.setProperty("--old", JSON.stringify(say("old")));
});
