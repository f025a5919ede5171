import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { callRest } from "../../test/rest-calls.ts";
import { problems1 } from "../../test/schemas.ts";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { A2AExtendedCard } from "../card/extended-card.ts";

const secret = { id: "secret", name: "secret", description: "Only for some.", tags: ["internal"] };

/** Serves two agents with an extended card, and returns what asks for it in each way. */
async function serveCards(extendedCard?: A2AExtendedCard, options: object = {}) {
  const agents = { one: scriptedAgent([]), two: scriptedAgent([]) };
  const served = await serveA2A({ agents, logger: createLogger({ level: "silent" }), extendedCard, ...options });
  const rpc =
    (method: string) =>
    async (as?: string, params: object = {}) =>
      await served.call(method, params, as === undefined ? {} : { as });
  const asked = {
    "0.3": rpc("agent/getAuthenticatedExtendedCard"),
    "1.0": rpc("GetExtendedAgentCard"),
    "HTTP+JSON": async (as?: string, params: object = {}) =>
      await callRest(served.url, { name: "GetExtendedAgentCard", params, options: as === undefined ? {} : { as } }),
  };
  const publicCard = async (headers: Record<string, string> = {}) =>
    (await (await fetch(`${served.url}/.well-known/agent-card.json`, { headers })).json()) as Record<string, object>;
  return { served, asked, publicCard };
}

type Shown = { skills: { id: string }[]; url?: string };

function idsOf(result: unknown): string[] {
  return (result as Shown).skills.map(({ id }) => id);
}

const principalOf = (request: object): { userId: string } => (request as { principal: { userId: string } }).principal;

const forAda: A2AExtendedCard = (request, { skills, agent = "all" }) => {
  const { userId } = principalOf(request);
  return userId === "ada" ? { skills: [...skills, secret], description: `Extended: ${agent}.` } : undefined;
};

describe("the extended card", () => {
  it("is what the option returns for the request, in the form of each version [a2a.extended-card]", async () => {
    const { served, asked, publicCard } = await serveCards(forAda);
    for (const [way, ask] of Object.entries(asked)) {
      const { result } = await ask("ada");
      expect(idsOf(result)).toEqual(["one", "two", "secret"]);
      expect(result).toMatchObject({ description: "Extended: all." });
      expect(way === "0.3" ? [] : problems1("AgentCard", result)).toEqual([]);
      expect((result as unknown as Shown).url).toBe(way === "0.3" ? `${served.url}/` : undefined);
    }
    expect(idsOf(await publicCard())).toEqual(["one", "two"]);
  });

  it("is declared by cards with the option alone [a2a.extended-card]", async () => {
    for (const option of [forAda, undefined]) {
      const { publicCard } = await serveCards(option);
      const has = option !== undefined;
      expect(await publicCard()).toMatchObject({
        supportsAuthenticatedExtendedCard: has,
        capabilities: { extendedAgentCard: has },
      });
      const card1 = await publicCard({ "a2a-version": "1.0" });
      expect(card1).toMatchObject({ capabilities: { extendedAgentCard: has } });
      expect(card1).not.toHaveProperty("supportsAuthenticatedExtendedCard");
    }
  });

  it("is that of one agent by the path or the tenant [a2a.extended-card]", async () => {
    const { served, asked } = await serveCards(forAda);
    const atPath = await served.call("GetExtendedAgentCard", {}, { as: "ada", path: "/agents/two" });
    expect(atPath.result).toMatchObject({ name: "two", description: "Extended: two." });
    for (const ask of [asked["1.0"], asked["HTTP+JSON"]]) {
      expect((await ask("ada", { tenant: "two" })).result).toMatchObject({ description: "Extended: two." });
      expect((await ask("ada", { tenant: "three" })).error.code).toBe(-32602);
    }
  });

  it("CARD-EXT-001: is for authenticated clients, and for those that the option returns one for [a2a.extended-card]", async () => {
    const { asked } = await serveCards(forAda);
    for (const ask of Object.values(asked)) {
      const { status, error } = await ask();
      expect(status).toBe(401);
      expect(error.message).toContain("authenticated");
      expect((await ask("eve")).error.code).toBe(-32007);
    }
  });

  it("CARD-EXT-002, CORE-CAP-003: is an error of each version without the option [a2a.no-extended-card]", async () => {
    const { asked } = await serveCards();
    for (const as of ["ada", undefined]) {
      expect((await asked["0.3"](as)).error.code).toBe(-32007);
      expect((await asked["1.0"](as)).error.code).toBe(-32004);
      expect((await asked["HTTP+JSON"](as)).error.code).toBe(-32004);
    }
  });

  it("the extended card that is wrong is a failure of the service, which its log tells and its client does not [a2a.extended-card]", async () => {
    for (const wrong of [{ skills: [] }, { skills: [{ id: "a" }] }, { name: " " }, { colour: "red" }]) {
      const lines: string[] = [];
      const logger = createLogger({ level: "error", write: (line) => lines.push(line) });
      const { asked } = await serveCards(() => wrong as never, { logger });
      const { error } = await asked["1.0"]("ada");
      expect(error.code).toBe(-32603);
      expect(error.message).not.toContain("extendedCard");
      expect(lines.join("\n")).toContain("extendedCard(request, card)");
    }
    const agents = { one: scriptedAgent([]) };
    await expect(serveA2A({ agents, extendedCard: {} as never })).rejects.toThrow("extendedCard");
  });

  it("does not let the option change the public card [a2a.extended-card]", async () => {
    const { asked, publicCard } = await serveCards((_request, { skills }) => {
      skills.push(secret);
      return { skills };
    });
    expect(idsOf((await asked["1.0"]("ada")).result)).toContain("secret");
    expect(idsOf(await publicCard())).toEqual(["one", "two"]);
  });
});
