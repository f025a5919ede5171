import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const program = join(import.meta.dirname, "../../examples/deploy/main.ts");

it("the program of the platforms answers their probes, and ends with code 0 on SIGTERM", async () => {
  const env = { PATH: process.env["PATH"], HOST: "0.0.0.0", PORT: "0", GRACE_MS: "1000" };
  const child = spawn(process.execPath, ["--conditions=@troupe/source", program], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [, port] = /:(\d+) is ready/.exec(line.toString()) ?? [];
  for (const path of ["/health", "/ready"]) {
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
  }

  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number | null];

  expect(code).toBe(0);
});
