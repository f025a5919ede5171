import { networkInterfaces } from "node:os";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { DemoServers, post } from "./test/start-demo.ts";

const servers = new DemoServers();

afterEach(async () => await servers.stop());
afterAll(async () => await servers.dispose());

const outside = Object.values(networkInterfaces())
  .flatMap((each = []) => each)
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

type Listed = { readonly sees: string; readonly runs: readonly { readonly runId: string }[] };

/** Opens the page as a new browser does, and returns its cookie. */
async function visit(url: string): Promise<string> {
  const page = await fetch(url, { headers: { accept: "text/html" } });
  return page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function begin(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/agents/accountant/run`, post({ input: "What is 1 + 1?" }, headers));
  return ((await response.json()) as { runId: string }).runId;
}

async function inspect(url: string, headers: Record<string, string>, path = ""): Promise<[number, Listed]> {
  const response = await fetch(`${url}/inspector/runs${path}`, { headers });
  return [response.status, (await response.json()) as Listed];
}

describe("the inspector of the demo", { timeout: 120_000 }, () => {
  it("shows a visitor on this machine the runs of all, and one from elsewhere only its own", async () => {
    const { url } = await servers.start();
    const cookie = await visit(url);
    const [ofCurl, ofUser, own] = [
      await begin(url),
      await begin(url, { "x-demo-user": "ivy" }),
      await begin(url, { cookie }),
    ];
    const elsewhere = { "x-forwarded-for": "10.0.0.7" };

    const [, here] = await inspect(url, { cookie });
    const [, there] = await inspect(url, { cookie, ...elsewhere });

    expect(here).toMatchObject({ sees: "all", runs: [{ runId: own }, { runId: ofUser }, { runId: ofCurl }] });
    expect(there).toMatchObject({ sees: "own", runs: [{ runId: own }] });
    expect((await inspect(url, { cookie }, `/${ofUser}`))[0]).toBe(200);
    expect((await inspect(url, { cookie, ...elsewhere }, `/${ofUser}`))[0]).toBe(404);
    expect((await inspect(url, { "x-demo-user": "mallory" }, `/${ofUser}`))[0]).toBe(404);
    expect((await inspect(url, elsewhere))[0]).toBe(401);
  });

  it("is reached at the printed address when the server listens to all addresses", async () => {
    const { url, said } = await servers.start({ HOST: "0.0.0.0" });
    const runId = await begin(url);

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(said).not.toContain("0.0.0.0");
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
      const address = url.replace("127.0.0.1", host);
      const [, listed] = await inspect(address, { cookie: await visit(address) });
      expect(listed.sees).toBe("all");
      expect(listed.runs.map((run) => run.runId)).toContain(runId);
    }
  });

  it.skipIf(outside === undefined)("shows a visitor at an address of the network its own runs alone", async () => {
    const { url } = await servers.start({ HOST: "0.0.0.0" });
    await begin(url);
    const address = url.replace("127.0.0.1", outside ?? "");

    const [, listed] = await inspect(address, { cookie: await visit(address) });

    expect(listed).toEqual({ runs: [], sees: "own" });
  });
});
