import { expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { Registries } from "../processes/run-service-options.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { listenToSessions } from "./run-serving.ts";

/** A store that keeps its listeners, as that of a third party may. */
function storeOf() {
  const listeners: SessionListener[] = [];
  const addListener = (listener: SessionListener) => {
    listeners.push(listener);
    return () => void listeners.splice(listeners.indexOf(listener), 1);
  };
  return { listeners, addListener };
}

const registriesOf = (given: object): Registries => given;
const listener: SessionListener = {};

it("listenToSessions listens once to each store of all runnables, and of the members and steps in them, until it is ended", () => {
  const [own, shared, member, nested, step, planned] = [1, 2, 3, 4, 5, 6].map(storeOf);
  const registries = registriesOf({
    agents: new Map([
      ["a", { sessions: own }],
      ["b", { sessions: shared }],
    ]),
    teams: { t: { sessions: shared, members: [{ sessions: member }, { members: [{ sessions: nested }] }] } },
    workflows: { w: { plannedSteps: [{ agent: { sessions: step } }, { sessions: planned }, { name: "no store" }] } },
  });
  const stores = [own, shared, member, nested, step, planned];
  const ends = listenToSessions(registries, listener);
  expect(stores.map((store) => store?.listeners)).toEqual(stores.map(() => [listener]));
  expect(ends).toHaveLength(6);
  for (const end of ends) end();
  expect(stores.map((store) => store?.listeners)).toEqual(stores.map(() => []));
});

it("listenToSessions leaves runnables alone that have no store to listen to", () => {
  const odd = [{}, { sessions: {} }, { sessions: { addListener: 1 } }, { members: "none" }, { members: [null] }];
  expect(listenToSessions(registriesOf({ agents: Object.fromEntries(odd.entries()) }), listener)).toEqual([]);
  expect(listenToSessions({}, listener)).toEqual([]);
});

it("listenToSessions hears what becomes of the sessions of an agent", async () => {
  const agent = new Agent({ name: "a", model: new ScriptedModel(), storage: new InMemoryStorage() });
  const heard: unknown[] = [];
  const forgetUser = async (user: object) => void heard.push(user);
  const ends = listenToSessions({ agents: { a: agent } }, { forgetUser });
  await agent.sessions.deleteUser("ada");
  for (const end of ends) end();
  await agent.sessions.deleteUser("bob");
  expect(heard).toMatchObject([{ userId: "ada" }]);
});
