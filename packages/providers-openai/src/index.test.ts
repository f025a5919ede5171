import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = `
  import { registerHooks } from "node:module";
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      loaded.add(/.*\\/node_modules\\/([^/]+)\\//.exec(resolved.url)?.[1]);
      return resolved;
    },
  });
  const { openai, openaiEmbeddings } = await import("@troupe/providers-openai");
  const embeddings = openaiEmbeddings({ baseURL: "http://127.0.0.1:9/v1" });
  const model = openai("gpt-6.1-sol", { apiKey: "sk-1", baseURL: "http://127.0.0.1:9/v1" });
  const before = ["openai", "undici"].filter((name) => loaded.has(name));
  await model.generate([{ role: "user", content: "Hi" }]).catch(() => undefined);
  await embeddings.embed("rain").catch(() => undefined);
  const after = ["openai", "undici"].filter((name) => loaded.has(name));
  console.log(JSON.stringify({ before, after }));
`;

it("openai never loads the vendor's library, and its connections with the first call [provider.no-sdk]", async () => {
  const args = ["--conditions=@troupe/source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });

  expect(JSON.parse(stdout)).toEqual({ before: [], after: ["undici"] });
});
