import type { Trial } from "../measure-in-process.ts";

type Candidate = Trial["candidates"][number];

const bare = new URL("bare-loop.ts", import.meta.url);
const agent = new URL("agent-loop.ts", import.meta.url);

function beside(unit: string, unitsPerRound: number): Trial {
  const env = { BENCH_CANDIDATE: unit };
  const candidates = [
    { name: "bare loop", file: bare, env },
    { name: "agent", file: agent, env },
  ];
  return { candidates, baseline: "bare loop", rounds: 9, unitsPerRound };
}

function makers(): Candidate[] {
  const file = new URL("creation.ts", import.meta.url);
  const names = ["plain", "agent", "agent with a model of its own", "agent with a tool of its own"];
  return names.map((name) => ({ name, file, env: { BENCH_CANDIDATE: name } }));
}

function pasts(): Candidate[] {
  const file = new URL("history.ts", import.meta.url);
  return [1, 100, 10_000].map((turns) => ({ name: `${turns} past turns`, file, env: { BENCH_TURNS: String(turns) } }));
}

/**
 * Memory that 80,000 runs leave behind, after 60,000 that fill the bounded stores: their last half megabyte comes with the third
 * round. Tables with as many entries as before grow and are made anew by turns, 140 kB from one round to the next.
 */
export const heapTrial: Trial = {
  candidates: [{ name: "agent", file: agent, env: { BENCH_CANDIDATE: "run" } }],
  baseline: "agent",
  rounds: 4,
  unitsPerRound: 20_000,
  warmUps: 3,
};

/** Memory that runs without a session id keep in the default storage, which holds 10,000 of them. */
export const keptTrial: Trial = {
  candidates: [{ name: "agent", file: agent, env: { BENCH_CANDIDATE: "run with an answer of its own" } }],
  baseline: "agent",
  rounds: 1,
  unitsPerRound: 4500,
};

/** Trials of an agent's cost, by name. */
export const agentTrials = {
  run: beside("run", 2000),
  "run with a tool": beside("tool", 2000),
  "stream of 200 chunks": beside("stream", 200),
  creation: { candidates: makers(), baseline: "plain", rounds: 9, unitsPerRound: 10_000 },
  "turn of a long session": { candidates: pasts(), baseline: "1 past turns", rounds: 9, unitsPerRound: 200 },
} satisfies Record<string, Trial>;
