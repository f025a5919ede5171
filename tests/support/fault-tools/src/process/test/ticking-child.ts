// Appends to a file every millisecond. Mode `parent` starts a process of its own, mode `stubborn` ignores SIGTERM.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [path = "", mode = ""] = process.argv.slice(2);
if (mode === "stubborn") process.on("SIGTERM", () => {});
const own =
  mode === "parent" ? spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }) : undefined;

setInterval(() => appendFileSync(path, "."), 1);
process.on("message", () => process.send?.({ echo: true }));
process.stdout.write("hello from the child\n");
process.send?.({ ready: true, own: own?.pid });
