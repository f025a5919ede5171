import { render } from "preact";
import { App } from "./app.tsx";
import { setAccent } from "./ui/set-accent.ts";
import { createServices } from "./services.ts";
import { readSettings } from "./settings.ts";

const root = document.getElementById("page");
if (root !== null) {
  const settings = readSettings(root);
  setAccent(settings.accent, document.documentElement);
  if (settings.isShared) {
    const { SharedView } = await import("./views/shared-view.tsx");
    render(<SharedView settings={settings} />, root);
  } else render(<App services={createServices(settings)} />, root);
}
