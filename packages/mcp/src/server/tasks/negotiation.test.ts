import * as library from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { canAsk, checkTakesTasks, missingTasks, takesTasks } from "./negotiation.ts";

type Context = library.ServerContext;

/** The context of a request that declares these capabilities. */
const declaring = (capabilities?: object) =>
  ({
    mcpReq: {
      ...(capabilities && { envelope: { "io.modelcontextprotocol/clientCapabilities": capabilities } }),
    },
  }) as unknown as Context;
const sessionOf = (capabilities?: object) => ({ getClientCapabilities: () => capabilities }) as library.Server;

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

function refusalOf(context: Context): unknown {
  try {
    checkTakesTasks(library, context);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a client", () => {
  it.each([
    [tasks, true],
    [{ extensions: { "io.modelcontextprotocol/tasks": {}, more: {} } }, true],
    [{ extensions: { "io.modelcontextprotocol/task": {} } }, false],
    [{ extensions: {} }, false],
    [{ tasks: {} }, false],
    [{}, false],
    [undefined, false],
  ])("a client with the capabilities %j takes tasks: %s", (capabilities, isTaking) => {
    const context = declaring(capabilities);
    expect(takesTasks(context)).toBe(isTaking);
    const refused: unknown = expect.objectContaining({ code: -32_021, data: { requiredCapabilities: tasks } });
    expect(refusalOf(context)).toEqual(isTaking ? undefined : refused);
  });

  it("a client that takes none is told what it lacks", () => {
    expect(missingTasks(library)).toMatchObject({ code: -32_021, data: { requiredCapabilities: tasks } });
  });

  it.each([
    [{ elicitation: {} }, true],
    [{ elicitation: { form: {} } }, true],
    [{ elicitation: { form: {}, url: {} } }, true],
    [{ elicitation: { url: {} } }, false],
    [{ sampling: {} }, false],
    [{}, false],
    [undefined, false],
  ])("a client with the capabilities %j can be asked by a form: %s", (capabilities, isAsked) => {
    expect(canAsk(declaring(capabilities))).toBe(isAsked);
    expect(canAsk(declaring(), sessionOf(capabilities))).toBe(isAsked);
  });

  it("has the capabilities of its request before those of its session", () => {
    expect(canAsk(declaring({}), sessionOf({ elicitation: {} }))).toBe(false);
    expect(canAsk(declaring({ elicitation: {} }), sessionOf({}))).toBe(true);
  });
});
