import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { ToolDef } from "../../src/agents/run/tool.ts";
import type { toolSourceCases, ToolSourceSubject } from "../../src/testing/conformance/tool-source-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { sourceBut } from "./small-tool-source.ts";
import { meanwhile } from "./wrong-storage.ts";

/** Tool sources with one mistake each. */
export const wrongToolSources = {
  "returns tools": () => tools(() => []),
  "returns tools with the same names again": () => {
    let count = 0;
    return tools((right) => right.map((tool) => ({ ...tool, name: `${tool.name}_${++count}` })));
  },
  "returns tools with the same names to concurrent calls": () =>
    sourceBut((right) => {
      let busy = false;
      return {
        getTools: async () => {
          if (busy) return [];
          busy = true;
          await meanwhile();
          busy = false;
          return await right.getTools();
        },
      };
    }),
  "returns an array that the caller may change": () =>
    sourceBut((right) => {
      const list = right.getTools();
      return { getTools: () => list };
    }),
  "names tools as every vendor allows": () => each((tool) => ({ ...tool, name: `server.${tool.name}` })),
  "gives each tool a unique name": () => each((tool) => ({ ...tool, name: "tool" })),
  "describes each tool": () => each((tool) => ({ ...tool, description: "" })),
  "gives each tool parameters that are the JSON Schema of an object": () =>
    each((tool) => ({ ...tool, parameters: { type: "string" } })),
  "answers a call with a value that a tool may return": () =>
    each((tool) => ({ ...tool, execute: () => ({ content: new Date() as unknown as string }) })),
  "answers concurrent calls": () => {
    let busy = false;
    return each((tool) => ({
      ...tool,
      execute: async () => {
        if (busy) throw new TroupeError("conflict", "Busy.");
        busy = true;
        await meanwhile();
        return "done";
      },
    }));
  },
  "does not change the arguments of a call": () =>
    each((tool) => ({ ...tool, execute: (args) => String(delete args["text"]) })),
  "ends a call at once when its signal aborts": () =>
    each((tool) => ({ ...tool, execute: async () => await new Promise<string>(() => undefined) })),
  "closes twice, also before its first use": () =>
    sourceBut(() => {
      let isOpen = false;
      return {
        getTools: async () => {
          isOpen = true;
          return [];
        },
        close: async () => {
          if (!isOpen) throw new TroupeError("internal", "Not connected.");
        },
      };
    }),
  "closes twice after it was used": () =>
    sourceBut(() => {
      let isClosed = false;
      return {
        close: async () => {
          if (isClosed) throw new TroupeError("internal", "Closed already.");
          isClosed = true;
        },
      };
    }),
} satisfies WrongSubjects<ToolSourceSubject, typeof toolSourceCases>;

function tools(change: (tools: ToolDef[]) => ToolDef[]): ToolSourceSubject {
  return sourceBut((right) => ({ getTools: async () => change(await right.getTools()) }));
}

function each(change: (tool: ToolDef) => ToolDef): ToolSourceSubject {
  return tools((right) => right.map(change));
}
