import { describe, expect, it } from "vitest";
import { teller } from "../../test/agents.ts";
import { findTurn, historyOf, sessionsOf } from "./session-turns.ts";
import type { ServedModel } from "../models/served-models.ts";

const owner = { userId: "ada" };

async function tellAll(count: number) {
  const agent = teller();
  const model: ServedModel = { id: "teller", kind: "agent", name: "teller", subject: agent };
  const runIds: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    runIds.push((await agent.run(`${turn}`, { sessionId: "s", ...owner })).runId);
  }
  const find = async (index: number, by = owner) =>
    await findTurn(agent.sessions, { sessionId: "s", runId: runIds[index] ?? "", part: 0 }, by);
  return { agent, model, find };
}

describe("the turns of a session", () => {
  it.each([
    [0, ["0"]],
    [49, Array.from({ length: 50 }, (_, index) => `${index}`)],
    [50, Array.from({ length: 50 }, (_, index) => `${index + 1}`)],
  ])("up to turn %i are the history of an unstored run, at most 50", async (index, texts) => {
    const { model, find } = await tellAll(52);
    const turn = await find(index);
    if (turn === undefined) throw new Error("The turn was not found.");
    const history = await historyOf(model, turn, owner);

    expect(history.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(texts);
    expect(history.map(({ role }) => role)).toEqual(texts.flatMap(() => ["user", "assistant"]));
  });

  it("are found by their owner alone", async () => {
    const { find } = await tellAll(1);

    expect(await find(0)).toMatchObject({ sessionId: "s", turn: { seq: 1 } });
    expect(await find(0, { userId: "bob" })).toBeUndefined();
  });

  it("are none of a model without sessions", () => {
    const agent = teller();
    const modelOf = (subject: object) => ({ id: "m", kind: "agent", name: "m", subject }) as ServedModel;

    expect(sessionsOf(modelOf(agent))).toBe(agent.sessions);
    expect(sessionsOf(modelOf({}))).toBeUndefined();
    expect(sessionsOf(modelOf({ sessions: {} }))).toBeUndefined();
  });
});
