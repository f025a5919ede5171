import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { readPort } from "./read-port.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const running = new Set<ReturnType<typeof spawn>>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** Starts the server as its own process and returns what it said first. */
async function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, ["--conditions=@troupe/source", main], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const said = Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
  const [bytes] = (await said) as [Buffer];
  return {
    child,
    exit: once(child, "exit"),
    said: bytes.toString(),
    url: /http:\S+/.exec(bytes.toString())?.[0] ?? "",
  };
}

describe("the demo server", () => {
  it("answers, and refuses what it does not know in the shape of all our errors", async () => {
    const { url } = await start({ PORT: "0" });

    const health = await fetch(`${url}/health?x=1`);
    const unknown = await fetch(`${url}/nowhere`, { method: "POST" });

    expect(await health.json()).toEqual({ status: "ok" });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: "not_found" } });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops cleanly on %s", async (signal) => {
    const { child, exit, url } = await start({ PORT: "0" });
    await (await fetch(`${url}/health`)).text();

    child.kill(signal);

    expect(await exit).toEqual([0, null]);
  });

  it("says what is wrong with a port it cannot have", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = String((other.address() as AddressInfo).port);

    const { exit, said } = await start({ PORT: taken });
    other.close();

    expect(said).toContain("EADDRINUSE");
    expect(await exit).toEqual([1, null]);
  });
});

describe("readPort", () => {
  it("takes a whole number, and 3000 when nothing is said", () => {
    expect([readPort("8080"), readPort("0"), readPort(undefined), readPort("")]).toEqual([8080, 0, 3000, 3000]);
  });

  it.each(["http", "-1", "65536", "1.5", "1e3", " 80"])("refuses %j with a sentence", (text) => {
    expect(() => readPort(text)).toThrowError(/^PORT must be a whole number from 0 to 65535/);
  });
});
