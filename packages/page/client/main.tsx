import { render } from "preact";
import { App } from "./app.tsx";
import { createServices } from "./services.ts";
import { readSettings } from "./settings.ts";

const root = document.getElementById("page");
if (root !== null) render(<App services={createServices(readSettings(root))} />, root);
