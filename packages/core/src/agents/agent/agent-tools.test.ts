import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ToolDef, ToolSource } from "../run/tool.ts";
import { testRun } from "../run/test/test-run.ts";
import { smallTool } from "../tool/test/small-tool.ts";
import { AgentTools, checkAgentTools, runToolsOption } from "./agent-tools.ts";
import type { ToolList } from "./agent-tools.ts";
import { look } from "./test/agents.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => smallTool(name)) as [ToolDef, ToolDef, ToolDef];
const wrong = { name: "wrong tool!" } as unknown as ToolDef;
const sourceOf = (...tools: unknown[]) => ({ getTools: async () => await Promise.resolve(tools as ToolDef[]) });
const cached = smallTool("cached", { cache: { ttl: 1000 } });

/** A run, its warnings, and the tools that an agent loads for it. */
function loading(tools: AgentTools) {
  const run = testRun({ userId: "ann" });
  const warn = vi.spyOn(run, "warn");
  const load = async (ofRun?: ToolList) => await tools.load(run.context, ofRun);
  const names = async (ofRun?: ToolList) => (await load(ofRun)).names;
  return { run, warn, load, names };
}

describe("the tools that an agent knows", () => {
  it("are those that it was given, and those of its sources once they are loaded, in their places", async () => {
    const tools = new AgentTools([b, sourceOf(c, a)]);
    expect(tools.known).toEqual([b]);
    await loading(tools).load();

    expect(tools.known).toEqual([b, a, c]);
  });

  it("are not those of a source that takes the context, of a function, or of one run", async () => {
    const ofContext = { getTools: (_context: unknown) => [a] };
    const [tools, made] = [new AgentTools([b, ofContext]), new AgentTools(() => [a])];

    expect(await loading(tools).names()).toEqual(["b", "a"]);
    expect(await loading(made).names()).toEqual(["a"]);
    expect(await loading(tools).names([c])).toEqual(["c"]);
    expect([tools.known, made.known, new AgentTools().known]).toEqual([[b], [], []]);
  });

  it("are not those that were left out", async () => {
    const tools = new AgentTools([sourceOf(wrong, a)]);
    await loading(tools).load();

    expect(tools.known).toEqual([a]);
  });
});

describe("loading the tools of a run", () => {
  it("gives one set at once, where nothing has to be asked", () => {
    const tools = new AgentTools([a]);
    const { context } = testRun();

    expect(tools.load(context)).toBe(tools.load(testRun().context));
    expect(tools.load(context)).not.toBeInstanceOf(Promise);
  });

  it("asks a source and a function with the context of the run", async () => {
    const getTools = vi.fn<ToolSource["getTools"]>(() => [a]);
    const make = vi.fn<() => ToolList>(() => [{ getTools }, b]);
    const { run, names } = loading(new AgentTools(make));

    expect(await names()).toEqual(["a", "b"]);
    expect(make.mock.calls).toEqual([[run.context]]);
    expect(getTools.mock.calls).toEqual([[run.context]]);
  });

  it("sorts the tools of each source by their names, by code units, and no others", async () => {
    const mixed = ["b", "B", "a_", "a", "Z"].map((name) => smallTool(name));
    const given = [smallTool("y"), sourceOf(...mixed), smallTool("x")];

    expect(await loading(new AgentTools(given)).names()).toEqual(["y", "B", "Z", "a", "a_", "b", "x"]);
    expect(mixed.map(({ name }) => name)).toEqual(["b", "B", "a_", "a", "Z"]);
  });

  it("keeps the set and its caches while the tools are the same, and the caches where some are", async () => {
    let given: ToolDef[] = [cached, a];
    const { load } = loading(new AgentTools(() => given));
    const first = await load();
    const same = await load();
    given = [cached];
    const fewer = await load();
    given = [cached, b];
    const others = await load();

    expect(same).toBe(first);
    expect([fewer.names, others.names]).toEqual([["cached"], ["cached", "b"]]);
    expect(fewer.cacheOf(cached)).toBe(first.cacheOf(cached));
    expect(others.cacheOf(cached)).toBe(first.cacheOf(cached));
  });

  it.each<[what: string, change: (tool: ToolDef) => void]>([
    ["a field", (tool) => (tool.description = "Other.")],
    ["one more field", (tool) => (tool.timeoutMs = 5)],
    ["one field less", (tool) => delete tool.effect],
  ])("makes a new set with new caches for a tool that was changed in place: %s", async (_, change) => {
    const tool = smallTool("t", { cache: { ttl: 1000 }, effect: "pure" });
    const { load } = loading(new AgentTools([sourceOf(tool)]));
    const first = await load();
    const before = first.cacheOf(tool);
    change(tool);
    const second = await load();

    expect(second).not.toBe(first);
    expect(second.cacheOf(tool)).not.toBe(before);
    expect(await load()).toBe(second);
  });

  it("leaves the agent's own set as it is when a run brings its tools, which share its caches", async () => {
    const { load } = loading(new AgentTools([sourceOf(cached, a)]));
    const own = await load();
    const ofRun = await load([cached, sourceOf(b)]);

    expect(ofRun.names).toEqual(["cached", "b"]);
    expect(ofRun.cacheOf(cached)).toBe(own.cacheOf(cached));
    expect(await load()).toBe(own);
    const plain = loading(new AgentTools([cached]));
    expect((await plain.load([cached])).cacheOf(cached)).toBe((await plain.load()).cacheOf(cached));
  });
});

describe("a wrong tool", () => {
  const long = { name: "x".repeat(65) } as unknown as ToolDef;

  it.each<[tool: unknown, tells: object]>([
    [wrong, { toolName: "wrong tool!" }],
    [long, { toolName: "x".repeat(64) }],
    [null, {}],
    [{ name: 5 }, {}],
  ])("of a source is left out of each run, with a warning: %j", async (tool, tells) => {
    const tools = new AgentTools([sourceOf(tool, b), a]);
    const ofRun = loading(new AgentTools());
    for (const { names, warn } of [loading(tools), loading(tools)]) {
      expect(await names()).toEqual(["b", "a"]);
      expect(warn.mock.calls).toEqual([
        [
          "tool_left_out",
          "A tool of a tool source is wrong, and was left out of the run.",
          { ...tells, error: expect.any(TroupeError) },
        ],
      ]);
    }
    expect(await ofRun.names([sourceOf(tool), a])).toEqual(["a"]);
    expect(ofRun.warn).toHaveBeenCalledOnce();
  });

  it("ends the run where it was given beside a source, by the agent, by a function or by the run", async () => {
    const sources = [sourceOf(wrong), wrong];

    for (const load of [
      async () => await loading(new AgentTools([...sources.slice(0, 1), { ...wrong }])).load(),
      async () => await loading(new AgentTools(() => [sourceOf(b), wrong])).load(),
      async () => await loading(new AgentTools()).load([sourceOf(b), wrong]),
    ]) {
      await expect(async () => await load()).rejects.toMatchObject({ code: "invalid_config" });
    }
  });
});

describe("a source or function that fails", () => {
  const failure = async (tools: ToolList | (() => unknown)) =>
    await loading(new AgentTools(tools as ToolList))
      .load()
      .catch((error: TroupeError) => [error.code, error.message]);
  const broken = async () => await Promise.reject(new TroupeError("rate_limited", "Later."));

  it.each<[tools: ToolList | (() => unknown), code: string, message: RegExp]>([
    [
      [{ getTools: () => "none" as never }],
      "invalid_config",
      /^What the tool source tools\[0\] returns must be an array of tools, got a string\.$/,
    ],
    [
      [a, { name: "s", getTools: () => ({}) } as never],
      "invalid_config",
      /^What the tool source "s" returns must be an array of tools, got an object\.$/,
    ],
    [
      () => "none",
      "invalid_config",
      /^The result of the function tools must be an array of tools and tool sources, got a string\.$/,
    ],
    [[a, { getTools: broken }], "rate_limited", /^Later\.$/],
    [broken, "rate_limited", /^Later\.$/],
  ])("ends the run with what it says", async (tools, code, message) => {
    expect(await failure(tools)).toEqual([code, expect.stringMatching(message)]);
  });

  const down = () => {
    throw new Error("down");
  };

  it.each<[tools: ToolList | (() => unknown), place: string]>([
    [[a, { getTools: down }], "The tool source tools[1]"],
    [[Object.assign({ getTools: down }, { name: "s" })], 'The tool source "s"'],
    [down, "The function tools"],
  ])("is named where it throws something else", async (tools, place) => {
    expect(await failure(tools)).toEqual([expect.any(String), expect.stringContaining(place)]);
  });
});

describe("closing", () => {
  it("closes each source once, those without close too, and no tool", async () => {
    const close = vi.fn<() => Promise<void>>();
    const tools = new AgentTools([a, { ...sourceOf(b), close }, sourceOf(c), { ...sourceOf(), close }]);
    await tools.close();

    expect(close).toHaveBeenCalledTimes(2);
  });
});

describe("the options tools", () => {
  const expected = "an array of tools and tool sources";

  it("are returned as they were given", () => {
    const [list, make] = [[look, sourceOf(wrong)], () => []];

    expect(checkAgentTools(list, "tools")).toBe(list);
    expect(checkAgentTools(make, "tools")).toBe(make);
    expect(runToolsOption(list, "tools", {})).toBe(list);
  });

  it.each<[value: unknown, message: RegExp]>([
    [[look, look], /^Two tools are named "look"\. Rename one of them\.$/],
    [[look, sourceOf(), a, look], /^Two tools are named "look"\./],
    [[wrong], /name/],
    [[look, wrong], /name/],
    [[null], /./],
  ])("are refused otherwise, of a run with the code of its options: %j", (value, message) => {
    const error = (code: string) => expect.objectContaining({ code, message: expect.stringMatching(message) });

    expect(() => checkAgentTools(value, "tools")).toThrow(error("invalid_config"));
    expect(() => runToolsOption(value, "tools", { code: "invalid_request" })).toThrow(error("invalid_request"));
    expect(() => runToolsOption(value, "tools", {})).toThrow(error("invalid_config"));
  });

  it.each([
    ["look", "a string"],
    [null, "null"],
    [{ look }, "an object"],
  ])("are an array or a function: %j", (value, got) => {
    const message = `tools must be ${expected}, or a function that returns one, got ${got}.`;
    expect(() => checkAgentTools(value, "tools")).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });

  it.each([
    ["look", "a string"],
    [null, "null"],
    [() => [], "a function"],
  ])("are an array for one run, named by its path: %j", (value, got) => {
    const where = { path: "opts", code: "invalid_request" } as const;
    const message = `opts.tools must be ${expected}, got ${got}.`;
    expect(() => runToolsOption(value, "tools", where)).toThrow(
      expect.objectContaining({ code: "invalid_request", message }),
    );
  });
});
