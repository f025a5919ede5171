import { afterEach, describe, expect, it } from "vitest";
import { DemoServers } from "./test/start-demo.ts";

const servers = new DemoServers();
afterEach(async () => await servers.dispose());

/** Prints the name of each package that is loaded. */
const printer = `
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => (name.startsWith("@troupe/") && console.error("loads " + name), next(name, context)) });`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(printer)}`;

describe("the demo server with toolkits of the environment", () => {
  it("loads their packages, and that of Google Cloud, only when it is asked for them", async () => {
    const optional = /loads @troupe\/(?:providers-vertex|toolkits-(?:web-search|gmail|whatsapp))/g;
    const plain = await servers.start({ NODE_OPTIONS });
    const asked = await servers.start({ NODE_OPTIONS, BRAVE_API_KEY: "key-1", TROUPE_DEMO_MODEL: "vertex" });

    expect(plain.said).toContain("loads @troupe/toolkits-duckduckgo");
    expect(plain.said.match(optional)).toBeNull();
    expect(plain.said).not.toMatch(/^ +toolkits /m);
    expect(asked.said.match(optional)).toEqual(["loads @troupe/providers-vertex", "loads @troupe/toolkits-web-search"]);
  });

  it("says in its banner what is on, and not with which keys", async () => {
    const { said, url } = await servers.start({
      EXA_API_KEY: "exa-secret",
      WHATSAPP_ACCESS_TOKEN: "EAAG-secret",
      WHATSAPP_PHONE_NUMBER_ID: "106540352242922",
    });

    expect(said).toMatch(/^ {2}toolkits {3}web search with Exa\n {13}WhatsApp$/m);
    expect(said).toMatch(/^ {2}agents .*, messenger$/m);
    expect(said).not.toContain("secret");
    const agents = await (await fetch(`${url}/agents`)).text();
    expect(agents).toContain("Uses web search with Exa");
    expect(agents).not.toContain("secret");
  });

  it("does not start with a wrong value, and says which variable it is", async () => {
    const { said, exit } = await servers.start({ WHATSAPP_ACCESS_TOKEN: "EAAG-secret" });

    expect(await exit).toEqual([1, null]);
    expect(said.trim()).toMatch(/^WHATSAPP_ACCESS_TOKEN has no effect without WHATSAPP_PHONE_NUMBER_ID\. Set .*\.$/m);
    expect(said).not.toMatch(/secret|\bat .*:\d+/);
  });
});
