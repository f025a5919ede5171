import { expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { agentOf } from "./test/agents.ts";
import type { WorkflowState } from "./workflow-result.ts";
import { Workflow } from "./workflow.ts";

const initialState = { pages: [] as { title: string }[], kind: "short" as "short" | "long", n: 0 };

it("a flow of steps lets each step see the types of the answers before it", () => {
  const flow = new Workflow({
    name: "flow",
    initialState,
    steps: (steps) =>
      steps
        .ask({ name: "age", ask: ({ n }) => `How old is ${n}?`, schema: z.object({ years: z.number() }) })
        .ask({ name: "who", ask: ({ age }) => `Who is ${age.years} years old?` })
        .ask({ name: "late", ask: () => "When?", schema: z.number(), waitMs: 5, onTimeout: "continue" })
        .step({
          name: "check",
          run: ({ age, who, late }) => {
            expectTypeOf(age).toEqualTypeOf<{ years: number }>();
            expectTypeOf(who).toBeString();
            expectTypeOf(late).toEqualTypeOf<number | null>();
            return { n: age.years };
          },
        })
        .forEach({ name: "titles", forEach: ({ pages }) => pages, as: "page", run: ({ page }) => page.title.length })
        .forEach({
          name: "parts",
          forEach: ({ titles }) => titles,
          steps: (inner) =>
            inner.ask({ name: "ok", ask: ({ item }) => item.toFixed() }).step({
              name: "use",
              run: (state) => void expectTypeOf(state.ok).toBeString(),
            }),
        })
        .forEach({ name: "said", forEach: ({ pages }) => pages, agent: agentOf(), inputFrom: ({ item }) => item.title })
        .step({
          name: "sum",
          run: ({ titles, parts, said }) => {
            expectTypeOf(titles).toEqualTypeOf<number[]>();
            expectTypeOf(parts[0]?.item).toEqualTypeOf<number | undefined>();
            expectTypeOf(said).toEqualTypeOf<unknown[]>();
          },
        })
        .choose({
          name: "pick",
          choose: ({ kind }) => kind,
          cases: {
            short: [{ name: "s", run: ({ age }) => ({ n: age.years }) }],
            long: (inner) => inner.step({ name: "l", run: ({ n }) => ({ n: n + 1 }) }),
          },
        }),
  });

  expectTypeOf(flow).toEqualTypeOf<Workflow<typeof initialState>>();
  expect(flow.plannedSteps.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "age ask",
    "who ask",
    "late ask",
    "check function",
    "titles forEach",
    "parts forEach",
    "ok ask",
    "use function",
    "said forEach",
    "sum function",
    "pick choose",
    "s function",
    "l function",
  ]);
});

it("a workflow runs the steps of a flow, in order and within others", async () => {
  const flow = new Workflow({
    name: "flow",
    initialState: { n: 1 },
    steps: (steps) =>
      steps
        .step({
          name: "up",
          loop: (inner) => inner.step({ name: "one", run: ({ n }) => ({ n: n + 1 }) }),
          while: ({ n }) => n < 3,
          maxRounds: 9,
        })
        .forEach({
          name: "each",
          forEach: ({ n }) => Array.from({ length: n }, (_, index) => index),
          run: ({ item }) => item * 2,
        })
        .choose({
          name: "pick",
          choose: ({ each }) => String(each.length),
          cases: {},
          otherwise: [{ name: "end", run: ({ n }) => ({ n: -n }) }],
        }),
  });

  expect((await flow.run()).state).toEqual({ n: -3, each: [0, 2, 4] });
});

it("a flow of steps rejects what does not fit", () => {
  const refused = () => [
    new Workflow({
      name: "flow",
      initialState,
      steps: (steps) =>
        // @ts-expect-error a case of "long" is missing
        steps.choose({ name: "pick", choose: ({ kind }) => kind, cases: { short: [] } }),
    }),
    new Workflow({
      name: "flow",
      initialState,
      steps: (steps) =>
        // @ts-expect-error the item is a page
        steps.forEach({ name: "each", forEach: ({ pages }) => pages, run: ({ item }) => item.toFixed() }),
    }),
    new Workflow({
      name: "flow",
      initialState,
      steps: (steps) =>
        steps
          .ask({ name: "age", ask: () => "?", schema: z.number() })
          // @ts-expect-error the answer is a number
          .step({ name: "use", run: ({ age }) => ({ kind: age }) }),
    }),
    // @ts-expect-error a function step sets keys of the state
    new Workflow({ name: "flow", initialState, steps: (steps) => steps.step({ name: "s", run: () => ({ m: 1 }) }) }),
    // @ts-expect-error a loop has one end
    new Workflow({ name: "flow", initialState, steps: [{ name: "up", loop: [], maxRounds: 1 }] }),
    // @ts-expect-error a loop has a bound
    new Workflow({ name: "flow", initialState, steps: [{ name: "up", loop: [], until: () => true }] }),
    // @ts-expect-error a forEach does one kind of work
    new Workflow({ name: "flow", initialState, steps: [{ name: "e", forEach: () => [], steps: [], run: () => 1 }] }),
  ];

  expectTypeOf(refused).toBeFunction();
  expectTypeOf<WorkflowState<typeof initialState>["age"]>().toBeUnknown();
});
