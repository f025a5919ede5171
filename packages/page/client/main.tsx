import { render } from "preact";
import { App } from "./app.tsx";
import { setAccent } from "./brand.ts";
import { createServices } from "./services.ts";
import { readSettings } from "./settings.ts";

const root = document.getElementById("page");
if (root !== null) {
  const settings = readSettings(root);
  setAccent(settings, document.documentElement);
  render(<App services={createServices(settings)} />, root);
}
