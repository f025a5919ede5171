import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { docsScript } from "./docs-page.ts";

/** The part of an answer that the docs page shows. */
type Shown = { readonly text: string; readonly status: number };

type Execute = (request: object) => Promise<Response>;
type Plugin = (system: object) => { readonly fn?: { readonly execute?: Execute } };

/** Reads a stream as the docs page does, and returns what it shows at each frame. `type` is its media type. */
async function show(pieces: readonly Uint8Array<ArrayBuffer>[], type = "text/event-stream"): Promise<Shown[]> {
  const shown: Shown[] = [];
  const frames: (() => void)[] = [];
  const opened = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => opened.resolve(controller) });
  let plugins: readonly Plugin[] = [];
  const bundle = Object.assign((options: { plugins: readonly Plugin[] }) => void ({ plugins } = options), {
    presets: { apis: [] },
  });
  runInNewContext(docsScript, {
    SwaggerUIBundle: bundle,
    document: { getElementById: () => ({ dataset: { spec: "spec.json" } }) },
    MutationObserver: class {
      observe = () => undefined;
    },
    TextDecoder,
    fetch: async () => await Promise.resolve(new Response(body, { headers: { "content-type": type } })),
    setTimeout: (draw: () => void) => frames.push(draw),
  });
  const setResponse = (_: string, __: string, partial: Shown) => shown.push(partial);
  const system = {
    fn: {
      execute: async ({ userFetch }: { userFetch: (url: string) => Promise<Response> }) => await userFetch("/run"),
      getSampleSchema: () => undefined,
    },
    getSystem: () => ({ specActions: { setResponse } }),
  };
  const execute = plugins.flatMap((plugin) => plugin(system).fn?.execute ?? [])[0];
  const response = await execute?.({ pathName: "/run", method: "post" });
  const reader = response?.body?.getReader();
  const controller = await opened.promise;
  for (const piece of pieces) {
    controller.enqueue(piece);
    await reader?.read();
    await new Promise(setImmediate);
    for (const draw of frames.splice(0)) draw();
  }
  controller.close();
  return shown;
}

const text = "data: é, €, 😀 and 👩‍🚀\n\n";
const bytes = Buffer.from(text);
const piecesOf = (...cuts: number[]) =>
  [0, ...cuts].map((from, index) => Uint8Array.from(bytes.subarray(from, cuts[index] ?? bytes.length)));

describe("the script of the docs", () => {
  it("shows the characters of a stream whole, wherever its pieces end", async () => {
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const shown = await show(piecesOf(cut));
      expect(shown.at(-1), `cut at ${cut}`).toMatchObject({ text, status: 200 });
      expect(text.startsWith(shown[0]?.text ?? "?"), `cut at ${cut}: ${shown[0]?.text}`).toBe(true);
    }
  });

  it("shows a stream of single bytes as it comes, and no half of a character", async () => {
    const shown = await show(piecesOf(...Array.from(bytes.subarray(1), (_, index) => index + 1)));

    expect(shown).toHaveLength(bytes.length);
    expect(shown.filter((each) => !text.startsWith(each.text))).toEqual([]);
    expect(shown.at(-1)?.text).toBe(text);
  });

  it("leaves an answer that is no stream to the library", async () => {
    expect(await show(piecesOf(8), "application/json")).toEqual([]);
  });
});
