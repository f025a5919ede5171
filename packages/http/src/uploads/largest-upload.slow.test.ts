import { describe, expect, it } from "vitest";
import { toForm } from "../../test/forms.ts";
import { scripted } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const sized = (bytes: number): File => new File([Buffer.alloc(bytes, "x")], "x.bin");

describe("the limits of an upload", () => {
  it("[http.upload-max-size] allow 52428800 bytes per file by default", async () => {
    const { agent, model } = scripted("Seen.");
    const service = await serve({ agents: { a: agent }, fileUpload: true });
    const ask = (size: number) => service.ask("/agents/a/run", { method: "POST", body: toForm({}, sized(size)) });

    expect((await ask(52_428_801)).text).toContain("52428800");
    expect(model.calls).toEqual([]);
    expect((await ask(52_428_800)).status).toBe(200);
  });
});
