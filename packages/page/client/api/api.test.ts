import { expect, it, vi } from "vitest";
import { Api } from "./api.ts";

it.each([
  ["workflow", "flow", { city: "Oslo" }],
  ["workflow", "other", "city: Oslo"],
  ["agent", "flow", "city: Oslo"],
  ["team", "flow", "city: Oslo"],
] as const)("Api lines with fields of the example are sent to the %s %s as %j", async (kind, name, input) => {
  const fetched = vi.fn<typeof fetch>(async () => await Promise.resolve(new Response("")));
  vi.stubGlobal("fetch", fetched);
  const suggestions = { flow: ['{"city":"Bergen"}'] };
  const api = new Api({ api: new URL("http://localhost/"), hasUsers: true, suggestions }, () => ({}));
  await api.start({ kind, name, text: "city: Oslo", files: [], sessionId: undefined }, "key");
  vi.unstubAllGlobals();

  expect(fetched).toHaveBeenCalledTimes(1);
  expect(await new Response(fetched.mock.lastCall?.[1]?.body).json()).toMatchObject({ input });
});
