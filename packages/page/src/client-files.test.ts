import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import type * as ClientFilesModule from "./client-files.ts";

it("the files are read once for all pages, and again after a failure, for all that waited", async () => {
  // A module of its own: other tests of this process have read theirs.
  const fresh = "./client-files.ts?fresh";
  const { readClientFiles } = (await import(fresh)) as typeof ClientFilesModule;
  const font = "geist-latin-wght-normal-1.woff2";
  const names = ["main-1.js", "style-1.css", "inspector-1.css", font, "notes.txt"];
  const contents = new Map(names.map((name) => [name, Buffer.from(`é ${name}`)]));
  const read = vi.fn<() => Promise<typeof contents>>(async () => contents).mockRejectedValueOnce(new Error("no file"));

  const failing = [readClientFiles(read), readClientFiles(read)];
  for (const each of failing) await expect(each).rejects.toThrow("no file");
  const [one, other] = await Promise.all([readClientFiles(read), readClientFiles(read)]);

  expect(read).toHaveBeenCalledTimes(2);
  expect(other).toBe(one);
  expect(one).toMatchObject({ script: "main-1.js", style: "style-1.css", font, inspectorStyle: "inspector-1.css" });
  // Fonts are compressed already.
  expect(one.files.get(font)).toEqual({ type: "font/woff2", plain: Buffer.from(`é ${font}`) });
  expect([...one.files.keys()]).toEqual(names.slice(0, 4));
  const script = one.files.get("main-1.js");
  expect(script?.type).toBe("text/javascript; charset=utf-8");
  for (const bytes of [
    script?.plain,
    script?.gzip && gunzipSync(script.gzip),
    script?.br && brotliDecompressSync(script.br),
  ])
    expect(String(bytes)).toBe("é main-1.js");
});
