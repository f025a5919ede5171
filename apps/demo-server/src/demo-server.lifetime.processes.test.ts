import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { DemoServers, post, startTimeoutMs } from "./test/start-demo.ts";

const servers = new DemoServers();
const { folder } = servers;
const start = async (variables?: Record<string, string>) => await servers.start(variables);
const stop = async () => await servers.stop();

afterAll(async () => await servers.dispose());

describe("the demo server as a process", { timeout: 2 * startTimeoutMs }, () => {
  afterEach(stop);

  it("calls the configured vendor with the caller's key, and shows the key in no answer and no log line", async () => {
    const key = "sk-canary-of-the-caller-5e1c";
    const vendor = (await FakeVendor.start()).say("Take an umbrella.");
    const { child, url } = await start({
      // Without the runs that another server has left unfinished.
      TROUPE_DEMO_DATA: join(folder, "with-vendor"),
      TROUPE_DEMO_MODEL: "openai/gpt-4.1",
      TROUPE_DEMO_MODEL_URL: `${vendor.url}/v1`,
    });
    const lines: string[] = [];
    child.stderr?.on("data", (line: string) => lines.push(line));

    const answer = await fetch(`${url}/agents/assistant/run`, post({ input: "Oslo?" }, { "x-openai-api-key": key }));
    const text = await answer.text();
    await vendor.close();

    expect(JSON.parse(text)).toMatchObject({ text: "Take an umbrella.", modelProvider: "openai", model: "gpt-4.1" });
    expect(vendor.exchanges.map((exchange) => exchange.key)).toEqual([key]);
    await vi.waitFor(() => expect(lines.join("")).toContain("/agents/:name/run"));
    expect(text + lines.join("")).not.toContain(key);
  });

  it("keeps its sessions over a restart", async () => {
    const asked = (input: string) => post({ input, sessionId: "kept" });
    const first = await start();
    await (await fetch(`${first.url}/agents/assistant/run`, asked("My name is Ada."))).text();
    first.child.kill("SIGKILL");
    await first.exit;

    const second = await start();
    const answer = await fetch(`${second.url}/agents/assistant/run`, asked("What is my name?"));

    expect(await answer.json()).toMatchObject({ text: "Your name is Ada." });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops on %s after it has finished running answers", async (signal) => {
    const { child, exit, url } = await start();
    const response = await fetch(`${url}/agents/assistant/stream`, post({ input: "Count to 10" }));

    child.kill(signal);

    expect(await response.text()).toContain('"finish"');
    expect(await exit).toEqual([0, null]);
  });

  it("fails with a sentence when the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const taken = String((other.address() as AddressInfo).port);

    const { exit, said } = await start({ PORT: taken });
    other.close();

    expect(said).toContain(`cannot listen on port ${taken} of 127.0.0.1`);
    expect(said).toContain("EADDRINUSE");
    expect(await exit).toEqual([1, null]);
  });

  it("fails with a sentence when the folder for sessions cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");

    const { exit, said } = await start({ TROUPE_DEMO_DATA: join(folder, "file", "data") });

    expect(said).toMatch(/^Cannot store sessions in .*TROUPE_DEMO_DATA/);
    expect(await exit).toEqual([1, null]);
  });
});
