import { Resolver } from "node:dns/promises";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, TroupeError } from "@troupe/core";
import type { ChatMessage, ContentPart } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { openai } from "@troupe/providers-openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, vendorNames } from "./vendors.ts";

const key = "sk-1";
const image = (data: string): ContentPart => ({ type: "image", data, mimeType: "image/png" });
const look: ContentPart = { type: "text", text: "Look." };
/** The server of the last one fetches no URLs. */
const fetching = vendorNames.filter((name) => name !== "ollama");

async function startVendor(): Promise<FakeVendor> {
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  return vendor;
}

describe.each(vendorNames)("a URL of a part for %s", (name) => {
  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "https://localhost/a.png",
    "HTTP://LocalHost.:8080/a.png",
    "http://127.1/a.png",
    "http://2130706433/a.png",
    "http://0x7f.0.0.1/a.png",
    "http://\uff11\uff12\uff17.0.0.1/a.png",
    "http://[::1]/a.png",
    "http://[::ffff:10.0.0.1]:9000/a.png",
    "http://10.0.0.1/a.png",
    "http://metadata.google.internal/a.png",
    "http://printer.local/a.png",
    "http://app.localhost/a.png",
    "http://postgres:5432/a.png",
    "http://web.shop.svc/a.png",
    "http://web.shop.svc.cluster.local/a.png",
    "http://10.0.0.1.nip.io/a.png",
    "http://shop-192-168-1-250.sslip.io/a.png",
    "http://0a000001.nip.io/a.png",
    "http://--1.sslip.io/a.png",
    "http://lvh.me:3000/a.png",
  ])(
    "is refused with the name of its field before any request when it leads to %s [parts.private-urls]",
    async (url) => {
      const vendor = await startVendor();
      const agent = new Agent({ name: "a", model: connect[name](vendor.url, { apiKey: key }) });

      for (const part of [image(url), { type: "file", data: url, mimeType: "application/pdf" } as const]) {
        const error: unknown = await agent.run([look, part]).catch((thrown: unknown) => thrown);

        expect(TroupeError.is(error) && error.code).toBe("invalid_request");
        expect((error as Error).message).toMatch(/^input\[1\]\.data leads to an address that is not public\./);
        expect((error as Error).message).not.toContain("a.png");
        await expect(agent.stream([look, part]).output).rejects.toMatchObject({ code: "invalid_request" });
      }
      expect(vendor.exchanges).toEqual([]);
    },
  );

  it("becomes words when it was said earlier or comes from a tool, and the conversation goes on [parts.private-urls]", async () => {
    const vendor = (await startVendor()).say("Yes.").say("Yes.");
    const model = connect[name](vendor.url, { apiKey: key });
    const seen: ChatMessage[] = [
      { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "see", arguments: {} }] },
      { role: "tool", toolCallId: "c1", content: [image("http://localhost/secret.png")] },
    ];
    const said: ChatMessage = { role: "user", content: [look, image("http://10.0.0.1/secret.png")] };
    const again: ChatMessage[] = [
      { role: "assistant", content: "Seen." },
      { role: "user", content: "And now?" },
    ];

    for (const [messages, count] of [
      [[{ role: "user", content: "Look." } as const, ...seen], 1],
      [[said, ...seen, ...again], 2],
    ] as const) {
      const omitted: string[] = [];
      const options: ModelCallOptions = { onOmitted: ({ reason }) => void omitted.push(reason) };
      const answer = await model.generate([...messages], options);

      expect(answer.text).toBe("Yes.");
      expect(JSON.stringify(vendor.exchanges.at(-1)?.request.body)).not.toContain("secret.png");
      expect(omitted.filter((reason) => reason.includes("not public"))).toHaveLength(count);
    }
  });
});

describe.each(fetching)("a URL with a name that DNS knows for %s", (name) => {
  it("is refused where the name has a private address, looked up once a minute for all calls of a model [parts.private-urls]", async () => {
    const asked = vi.spyOn(Resolver.prototype, "resolve4").mockImplementation(async (host: string) => {
      return host === "inside.example.com" ? ["93.184.215.14", "10.0.0.7"] : ["93.184.215.14"];
    });
    onTestFinished(() => asked.mockRestore());
    const vendor = (await startVendor()).say("Yes.").say("Yes.");
    const agent = new Agent({ name: "a", model: connect[name](vendor.url, { apiKey: key }) });

    await expect(agent.run([look, image("https://inside.example.com/a.png")])).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/^input\[1\]\.data leads to an address that is not public\./),
    });
    for (const url of ["https://outside.example.com/a.png", "https://outside.example.com:8443/b.png"]) {
      await agent.run([look, image(url)]);
      expect(JSON.stringify(vendor.exchanges.at(-1)?.request.body)).toContain(url);
    }
    expect(vendor.exchanges).toHaveLength(2);
    expect(asked.mock.calls.map(([host]) => host)).toEqual(["inside.example.com", "outside.example.com"]);
  });
});

describe.each(fetching)("a name that DNS knows, in an earlier message for %s,", (name) => {
  it("is looked up too, and becomes words where it has a private address [parts.private-urls]", async () => {
    const asked = vi.spyOn(Resolver.prototype, "resolve4").mockImplementation(async () => ["10.0.0.7"]);
    onTestFinished(() => asked.mockRestore());
    const vendor = (await startVendor()).say("Yes.");
    const messages: ChatMessage[] = [
      { role: "user", content: [look, image("https://inside.example.com/secret.png")] },
      { role: "assistant", content: "Seen." },
      { role: "user", content: "And now?" },
    ];

    await connect[name](vendor.url, { apiKey: key }).generate(messages, {});

    expect(JSON.stringify(vendor.exchanges.at(-1)?.request.body)).not.toContain("secret.png");
  });
});

describe.each(fetching)("a model of %s with allowPrivateUrls", (name) => {
  it("sends URLs that lead to private addresses [parts.private-urls]", async () => {
    const vendor = (await startVendor()).say("Yes.");
    const model = connect[name](vendor.url, { apiKey: key, allowPrivateUrls: true });

    await new Agent({ name: "a", model }).run([look, image("http://10.0.0.1/a.png")]);

    expect(JSON.stringify(vendor.exchanges[0]?.request.body)).toContain("http://10.0.0.1/a.png");
  });

  it("sends URLs that lead to public addresses without it [parts.private-urls]", async () => {
    const vendor = (await startVendor()).say("Yes.").say("Yes.").say("Yes.");
    const agent = new Agent({ name: "a", model: connect[name](vendor.url, { apiKey: key }) });

    for (const url of ["https://example.com/a.png", "http://8.8.8.8/a.png", "https://localhost.example.com/a.png"]) {
      await agent.run([look, image(url)]);
      expect(JSON.stringify(vendor.exchanges.at(-1)?.request.body)).toContain(url);
    }
  });
});

it("allowPrivateUrls is refused where it would have no effect: Ollama fetches no URLs", () => {
  expect(() => connect.ollama("http://localhost", { allowPrivateUrls: true })).toThrow(
    'Unknown option "allowPrivateUrls" of ollama',
  );
  expect(() => openai("m", { allowPrivateUrls: "yes" as never })).toThrow("allowPrivateUrls must be true or false");
});
