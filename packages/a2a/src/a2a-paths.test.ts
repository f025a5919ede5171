import { createHandler, createService } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { scriptedAgent } from "../test/serve-a2a.ts";
import { a2a } from "./a2a.ts";

describe("a path of a service that speaks A2A", () => {
  const agents = Object.fromEntries(["helper", "my helper", "rest"].map((name) => [name, scriptedAgent([])]));

  it.each([
    ["/", "/rest", true],
    ["/", "/rest/", true],
    ["/", "/rest/tasks", true],
    ["/", "/Rest/tasks/", true],
    ["/", "/rest/rest/tasks", true],
    ["/", "/agents/helper/rest/tasks", true],
    ["/", "/agents/my%20helper/rest", true],
    ["/", "/agents/rest/rest/x", true],
    // A broken escape is told in the form of the binding.
    ["/", "/agents/%ff/rest/tasks", true],
    ["/", "/agents/a%2Fb/rest/tasks", false],
    ["/", "/agents/nobody/rest/tasks", false],
    ["/", "/restful", false],
    ["/", "/x/rest/tasks", false],
    ["/", "/agents/a/b/rest/tasks", false],
    ["/", "/agents//rest/tasks", false],
    ["/a2a", "/a2a/rest/tasks", true],
    ["/a2a", "/a2a/agents/helper/rest/tasks", true],
    ["/a2a", "/rest/tasks", false],
    ["/v1.0", "/v1.0/rest/tasks", true],
    ["/v1.0", "/v1x0/rest/tasks", false],
  ])(
    "a path of a service that speaks A2A with the base path %s, %s is one of HTTP+JSON: %s",
    async (basePath, path, isRest) => {
      const answer = createHandler(createService({ agents }), [a2a({ basePath })]);
      const response = await answer(new Request(`https://a.example${path}`, { method: "PUT" }));
      const { error } = (await response.json()) as { error: { code: unknown } };
      expect(error.code).toBe(isRest ? response.status : "not_found");
    },
  );
});
