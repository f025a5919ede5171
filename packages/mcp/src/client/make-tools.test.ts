import { expect, it, vi } from "vitest";
import type { ListedTool } from "./list-tools.ts";
import { ToolMaker } from "./make-tools.ts";
import type { CallTool } from "./make-tools.ts";

const listed: ListedTool = {
  name: "read",
  description: "Reads.",
  inputSchema: { type: "object", properties: {} },
  isReadOnly: true,
  isIdempotent: false,
};

function startMaker(settings: object = {}) {
  const call = vi.fn<CallTool>(async () => "done");
  const warn = vi.fn<(message: string, fields: object) => void>();
  const given = { name: "files", timeoutMs: 1000, trustAnnotations: true, logger: { warn }, ...settings };
  return { maker: new ToolMaker(given as never, call), call, warn };
}

it("a tool that is listed again as it was stays the same object, and the others are made anew", () => {
  const { maker } = startMaker();
  const [first] = maker.make([listed]);
  const [again, other] = maker.make([{ ...listed }, { ...listed, name: "other" }]);

  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(maker.make([listed])[0]).toBe(first);
  maker.make([]);
  expect(maker.make([listed])[0]).not.toBe(first);
});

it.each<Partial<ListedTool>>([
  { name: "write" },
  { description: "Reads é." },
  { inputSchema: { type: "object", properties: { a: {} } } },
  { outputSchema: { type: "object" } },
  { isReadOnly: false },
  { isIdempotent: true },
])("a tool is made anew when it is listed again with %j", (change) => {
  const { maker } = startMaker();
  const [first] = maker.make([listed]);
  expect(maker.make([{ ...listed, ...change }])[0]).not.toBe(first);
});

it.each([
  [true, { isReadOnly: true, isIdempotent: true }, "pure"],
  [true, { isReadOnly: false, isIdempotent: true }, "idempotent"],
  [true, { isReadOnly: false, isIdempotent: false }, "once"],
  [false, { isReadOnly: true, isIdempotent: true }, "once"],
])("a tool with trusted annotations (%s) of %j has the effect %s", (trustAnnotations, facts, effect) => {
  expect(startMaker({ trustAnnotations }).maker.make([{ ...listed, ...facts }])[0]?.effect).toBe(effect);
});

it("a tool without a description that can be read has one, and a call has a little more time than its request", () => {
  const { maker } = startMaker({ maxOutputBytes: 7 });
  expect(maker.make([{ ...listed, description: " " }])[0]).toMatchObject({
    description: "The tool read of files.",
    timeoutMs: 6000,
    maxOutputBytes: 7,
  });
  const [tool] = startMaker({ timeoutMs: 2 ** 31 - 1 }).maker.make([{ ...listed, description: " é\ud800 " }]);
  expect(tool).toMatchObject({ description: "é\ufffd", timeoutMs: 2 ** 31 - 1 });
  expect(tool).not.toHaveProperty("maxOutputBytes");
});

it("names in allow and deny that the server does not have are told once each", () => {
  const { maker, warn } = startMaker({ tools: { allow: ["read", "raed"], deny: ["wirte"] } });
  for (let times = 0; times < 2; times++) expect(maker.make([listed]).map(({ name }) => name)).toHaveLength(1);
  const message = 'The MCP server "files" has no tools of these names in tools.allow or tools.deny.';
  expect(warn).toHaveBeenCalledExactlyOnceWith(message, { unknown: ["raed", "wirte"] });
});

it("progress is passed on with what the server said of it, its message cut to 1,000 whole characters", async () => {
  const { maker, call } = startMaker();
  const report = vi.fn<(progress: object) => void>();
  call.mockImplementation(async ({ onProgress }) => {
    onProgress({ progress: 0 });
    onProgress({ progress: 1, total: 0, message: `${"x".repeat(999)}😀` });
    return "done";
  });
  const [tool] = maker.make([listed]);
  await tool?.execute?.({}, { report } as never);

  expect(report.mock.calls).toEqual([
    [{ progress: 0 }],
    [{ progress: 1, total: 0, message: expect.stringMatching(/^x+…?$/) }],
  ]);
});
