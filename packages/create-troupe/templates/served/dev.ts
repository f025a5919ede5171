import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

// `{{run}} dev`: starts the program, and again after each change. Opens its page in a browser once it answers.
const options = ["--disable-warning=ExperimentalWarning", "--env-file-if-exists=.env"];
const watching = ["--watch", "--watch-kill-signal=SIGKILL", "--watch-preserve-output"];
const server = spawn(process.execPath, [...options, ...watching, "src/main.ts"], { stdio: "inherit" });
server.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));

const settings = existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {};
const url = `http://localhost:${process.env["PORT"] || settings["PORT"] || 3000}`;
if (process.stdout.isTTY && process.env["CI"] === undefined) await openOnceReady();

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
