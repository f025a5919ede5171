import { describe, expect, it } from "vitest";
import { readArguments } from "./call-tool.ts";
import type { ServedTool } from "./served-tools.ts";

describe("the arguments of a call", () => {
  const toolOf = (argument: string) => ({ argument }) as ServedTool;

  it.each<[string, object, unknown]>([
    ["message", { message: "" }, { input: "", sessionId: undefined }],
    ["message", { message: "tea", sessionId: null }, { input: "tea", sessionId: undefined }],
    ["message", { message: "tea", sessionId: undefined }, { input: "tea", sessionId: undefined }],
    ["message", { message: "tea", sessionId: "s1" }, { input: "tea", sessionId: "s1" }],
    ["input", {}, { input: {}, sessionId: undefined }],
    ["input", { input: null }, { input: {}, sessionId: undefined }],
    ["input", { input: "" }, { input: "", sessionId: undefined }],
    ["input", { input: { a: 1 }, sessionId: "s1" }, { input: { a: 1 }, sessionId: "s1" }],
  ])("for %s are taken: %j", (argument, args, read) => {
    expect(readArguments(toolOf(argument), { ...args })).toStrictEqual(read);
  });

  it.each<[string, object, string]>([
    ["message", {}, "message must be a string."],
    ["message", { message: null }, "message must be a string."],
    ["message", { message: ["tea"] }, "message must be a string."],
    ["input", { input: [1] }, "input must be an object or a string."],
    ["input", { input: 7 }, "input must be an object or a string."],
    ["input", { input: true }, "input must be an object or a string."],
    ["message", { message: "a", input: {} }, 'Unknown argument "input". Expected message and sessionId.'],
    ["input", { message: "a" }, 'Unknown argument "message". Expected input and sessionId.'],
    ["input", { "": 1 }, 'Unknown argument "". Expected input and sessionId.'],
    ["input", { [`${"x".repeat(63)}yz`]: 1 }, `Unknown argument "${"x".repeat(63)}y". Expected input and sessionId.`],
  ])("for %s are refused: %j", (argument, args, message) => {
    expect(() => readArguments(toolOf(argument), { ...args })).toThrow(
      expect.objectContaining({ code: "invalid_request", message }),
    );
  });

  it.each(["", 7, {}, "a\nb"])("have no sessionId like %j", (sessionId) => {
    const read = () => readArguments(toolOf("message"), { message: "a", sessionId });
    expect(read).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(read).toThrow(/sessionId/);
  });
});
