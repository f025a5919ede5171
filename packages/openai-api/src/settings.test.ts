import { describe, expect, it } from "vitest";
import { largestBody, readApiOptions } from "./settings.ts";
import type { OpenAiApiOptions } from "./settings.ts";

describe("the options of the API", () => {
  it("have these defaults", () => {
    const { basePath, chat, files, openWebUi, mayRun } = readApiOptions({});

    expect({ basePath, chat, files, openWebUi, mayRun }).toEqual({
      basePath: "/v1",
      chat: { tools: "status" },
      files: undefined,
      openWebUi: undefined,
      mayRun: undefined,
    });
    expect(readApiOptions({ files: {} }).files?.maxFileSize).toBe(52_428_800);
  });

  it.each<OpenAiApiOptions>([
    { basePath: "" },
    { basePath: "/a/b.c~d-e_f" },
    { chat: false },
    { chat: { tools: "hidden", approvals: "deny" } },
    { chat: { tools: "reasoning", approvals: "approve" } },
    { openWebUi: { jwtSecret: "é", trustUserHeaders: true, tenantId: "t", chatSessions: false } },
  ])("may be %j", (options) => {
    expect(readApiOptions(options)).toMatchObject(options);
  });

  it.each<[object, string]>([
    [{ basePath: "v1" }, "basePath"],
    [{ basePath: "/v1/" }, "basePath"],
    [{ basePath: "/a b" }, "basePath"],
    [{ basePath: 7 }, "basePath"],
    [{ chat: true }, "chat"],
    [{ chat: { tools: "x" } }, "chat.tools"],
    [{ chat: { approvals: "x" } }, "chat.approvals"],
    [{ mayRun: true }, "mayRun"],
    [{ files: { maxFileSize: -1 } }, "files.maxFileSize"],
    [{ openWebUi: { jwtSecret: " " } }, "openWebUi.jwtSecret"],
    [{ openWebUi: { tenantId: "" } }, "openWebUi.tenantId"],
    [{ openWebUi: { trustUserHeaders: "yes" } }, "openWebUi.trustUserHeaders"],
    [{ openWebUi: { chatSessions: 1 } }, "openWebUi.chatSessions"],
    [{ other: 1 }, "other"],
  ])("are refused for %j", (options, name) => {
    expect(() => readApiOptions(options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(name) }),
    );
  });
});

it.each<[OpenAiApiOptions, number | undefined, number]>([
  [{}, undefined, 1_048_576],
  [{}, 10, 1_048_576],
  [{}, 1_048_577, 1_048_577],
  [{ files: { maxFileSize: 3 } }, undefined, 1_048_580],
  [{ files: { maxFileSize: 4 } }, undefined, 1_048_582],
  [{ files: { maxFileSize: 4 } }, 2_000_000, 2_000_000],
])("with %j and a service's limit of %j a body has at most %i bytes", (options, limit, most) => {
  expect(largestBody(readApiOptions(options), limit)).toBe(most);
});
