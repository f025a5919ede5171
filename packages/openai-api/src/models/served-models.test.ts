import { Team, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { scripted, teller } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

const hi: { role: "user"; content: string }[] = [{ role: "user", content: "Hi" }];

describe("the models of the API", () => {
  it("are the agents, teams and workflows, each by its name", async () => {
    const { agent } = scripted(["Hello."], { description: "Helps." });
    const team = new Team({ name: "desk", mode: "route", model: new ScriptedModel(), members: [agent] });
    const workflow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "s", agent }] });
    const { client } = await serve({
      agents: { helper: agent },
      teams: { desk: team, helper: team },
      workflows: { flow: workflow },
    });
    const models = await readAll(client.models.list());
    expect(models.map(({ id }) => id)).toEqual(["helper", "desk", "team/helper", "flow"]);
    expect(await client.models.retrieve("helper")).toMatchObject({
      id: "helper",
      object: "model",
      description: "Helps.",
    });
    expect(await client.models.retrieve("team/helper")).toMatchObject({ id: "team/helper", kind: "team" });
    await expect(client.models.retrieve("nobody")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("are those that the caller may run", async () => {
    const agents = { helper: scripted(["Hello."]).agent, secret: teller() };
    const api = {
      mayRun: ({ principal }: { principal: unknown }, { name }: { name: string }) =>
        name !== "secret" || principal !== undefined,
    };
    const { client, as } = await serve({ agents }, { api });
    expect((await readAll(client.models.list())).map(({ id }) => id)).toEqual(["helper"]);
    expect((await readAll(as("ada").models.list())).map(({ id }) => id)).toEqual(["helper", "secret"]);
    await expect(client.chat.completions.create({ model: "secret", messages: hi })).rejects.toMatchObject({
      status: 404,
    });
  });
});
