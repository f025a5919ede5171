import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

// `{{run}} dev`: starts the program, and again after each change. With `--open`, it opens the program's page in a browser.
const options = ["--disable-warning=ExperimentalWarning", "--env-file-if-exists=.env"];
let hasChanged = false;
let server = start();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.kill("SIGKILL");
    process.exit();
  });
}

// Folders are watched, because many editors replace a file when they save it: `node --watch` would notice that once.
const below = readdirSync("src", { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const folder of ["src", ...below.map(({ parentPath, name }) => join(parentPath, name))]) {
  watch(folder, (_event, name) => /^\.|~$/.test(name ?? "") || restartSoon());
}
watch(".", (_event, name) => name === ".env" && restartSoon());
let timer: NodeJS.Timeout | undefined;

function start(): ChildProcess {
  hasChanged = false;
  return spawn(process.execPath, [...options, "src/main.ts"], { stdio: "inherit" }).on("exit", () => {
    if (hasChanged) server = start();
    else console.log("The program has ended. It starts again after the next change.");
  });
}

function restartSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    console.log("A file has changed. The program starts again.");
    hasChanged = true;
    if (!server.kill("SIGKILL")) server = start();
  }, 100);
}

const settings = existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {};
const url = `http://localhost:${process.env["PORT"] || settings["PORT"] || 3000}`;
const isWanted = process.argv.includes("--open") && process.stdout.isTTY && process.env["CI"] === undefined;
if (isWanted) await openOnceReady();

async function openOnceReady(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return open();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function open(): void {
  const [command, ...args] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
  // Without a browser the address that the program printed is enough.
  spawn(command ?? "", [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
