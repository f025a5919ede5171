import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createService } from "@troupe/core/service";
import type { ServiceRequest } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import type { A2AExtendedCard } from "../card/extended-card.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import { FakeResponse } from "../../test/fake-response.ts";
import { readA2AOptions } from "./a2a-options.ts";
import { partsOf } from "./a2a-parts.ts";
import { makeExtendedCard } from "./answer-card.ts";

const agent = (description: string): Agent => new Agent({ name: "helper", model: new ScriptedModel(), description });
const agents = { one: agent("Counts."), two: agent("Sings.") };
const request = { originalUrl: "/", headers: {}, protocol: "https", baseUrl: "", socket: {} };
const ada = { userId: "ada" };

type Asked = { agent?: string; principal?: typeof ada | undefined; version?: "0.3" | "1.0" };

async function cardOf(extendedCard: A2AExtendedCard | undefined, asked: Asked = {}) {
  const settings = readA2AOptions(
    { basePath: "/", extendedCard, baseUrl: "https://a.example", version: "3.0.0" },
    "a2a",
  );
  const parts = partsOf(createService({ agents }), settings, { owner: "a2a" });
  const { agent: name, version = "1.0" } = asked;
  const exchange = new FakeResponse().exchange(request);
  exchange.signIn("principal" in asked ? asked.principal : ada);
  return await makeExtendedCard({ parts, exchange, agent: name, dialect: dialectOfVersion(version) });
}

describe("an extended card", () => {
  it.each<[string, A2AExtendedCard | undefined, Asked, object]>([
    [
      "no option, before all else, in 1.0",
      undefined,
      { principal: undefined, agent: "three" },
      { kind: "unsupported-operation", message: "This agent has no extended card. Its public card tells all." },
    ],
    [
      "no option, before all else, in 0.3",
      undefined,
      { principal: undefined, agent: "three", version: "0.3" },
      { kind: "extended-card-not-configured", message: "This agent has no extended card. Its public card tells all." },
    ],
    [
      "no principal, before an agent that is not known",
      () => expect.fail("The extended card was asked for without a principal."),
      { principal: undefined, agent: "three" },
      { code: "unauthorized", message: "The extended card is for clients that have authenticated themselves." },
    ],
    [
      "an agent that is not known, before the option is asked",
      () => expect.fail("It is asked for an agent that is not known."),
      { agent: "three" },
      { kind: "invalid-params", message: "tenant must be an agent of the agent card." },
    ],
    [
      "nothing for this client",
      async () => await Promise.resolve(undefined),
      { version: "0.3" },
      { kind: "extended-card-not-configured", message: "There is no extended card for this client." },
    ],
  ])("is refused with %s", async (...[, option, asked, error]) => {
    await expect(cardOf(option, asked)).rejects.toMatchObject(error);
  });

  it.each([
    [undefined, ["one", "two"], "https://a.example/"],
    ["two", ["two"], "https://a.example/agents/two"],
  ])("is made from the request and the facts of its agent %s, and replaces what it has", async (name, ids, url) => {
    const given: unknown[] = [];
    const facts = await cardOf(
      (...asked) => {
        given.push(asked);
        return { description: "For Ada." };
      },
      name === undefined ? {} : { agent: name },
    );
    const [[asked, shown]] = given as [[ServiceRequest, { skills: { id: string }[] }]];
    expect([asked.native, asked.principal]).toEqual([request, ada]);
    expect(shown.skills.map(({ id }) => id)).toEqual(ids);
    expect(Object.keys(shown)).toEqual([
      "name",
      "description",
      "version",
      "skills",
      ...(name === undefined ? [] : ["agent"]),
    ]);
    expect(shown).toMatchObject({ version: "3.0.0", ...(name !== undefined && { agent: name, name }) });
    expect(facts).toMatchObject({ description: "For Ada.", version: "3.0.0", url, skills: shown.skills });
  });

  it("has the skills as they are, whatever the option does to those that it is given", async () => {
    const facts = await cardOf((_request, { skills }) => {
      Object.assign(skills[0] ?? {}, { description: "Spoilt." });
      skills[0]?.tags.push("spoilt");
      skills.pop();
      return { name: "for-ada" };
    });
    const untouched = await cardOf(() => ({ name: "for-ada" }));
    expect(facts).toEqual(untouched);
    expect(facts.skills.map(({ id, description }) => [id, description])).toEqual([
      ["one", "Counts."],
      ["two", "Sings."],
    ]);
  });
});
