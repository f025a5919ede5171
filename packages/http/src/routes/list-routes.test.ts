import { expect, it } from "vitest";
import type { Exchange } from "@troupe/core/transport";
import type { HttpParts } from "../settings/http-options.ts";
import { listRoutes } from "./list-routes.ts";

/** The registered entries, with more fields than a list shows. */
const served = {
  agents: new Map([
    ["z", { name: "inner", kind: "agent", description: "Talks.", instructions: "Secret." }],
    ["a", { name: "a", kind: "remote", description: "" }],
  ]),
  teams: new Map([["t", { name: "team", kind: "team" }]]),
  workflows: new Map([
    ["w", { name: "flow", kind: "other", description: "Counts.", state: {} }],
    ["v", { inputSchema: { type: "object", properties: { città: { type: "string" } } } }],
  ]),
};

/** Asks each list, and returns the answers by their paths. */
function answersOf(service: object): Record<string, unknown> {
  return Object.fromEntries(
    listRoutes({ service } as HttpParts).map(({ path, get, ...others }) => {
      const sent: unknown[] = [];
      const sendJson: Exchange["sendJson"] = (status, value) => sent.push(status, value);
      void get?.({ sendJson } as Exchange);
      expect(others).toEqual({});
      return [path, sent] as const;
    }),
  );
}

it("listRoutes lists what is registered by its names there, in order, without anything secret", () => {
  const parts = ["text", "parts"];
  const objects = ["object", "text"];
  expect(answersOf(served)).toEqual({
    "/agents": [
      200,
      {
        agents: [
          { name: "z", kind: "agent", description: "Talks.", input: parts },
          { name: "a", kind: "remote", description: "", input: parts },
        ],
      },
    ],
    "/teams": [200, { teams: [{ name: "t", kind: "team", input: parts }] }],
    "/workflows": [
      200,
      {
        workflows: [
          { name: "w", kind: "workflow", description: "Counts.", input: objects },
          {
            name: "v",
            kind: "workflow",
            input: objects,
            inputSchema: { type: "object", properties: { città: { type: "string" } } },
          },
        ],
      },
    ],
  });
});

it("listRoutes lists nothing where nothing is registered", () => {
  const none = { agents: new Map(), teams: new Map(), workflows: new Map() };

  expect(answersOf(none)).toEqual({
    "/agents": [200, { agents: [] }],
    "/teams": [200, { teams: [] }],
    "/workflows": [200, { workflows: [] }],
  });
});
