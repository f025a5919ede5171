import { createElement } from "preact";
import { expect, it, onTestFinished, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { TurnView } from "./turn-view.tsx";
import { newTurn } from "./turn.ts";
import { StepGraphs, StepGraphsContext } from "./use-step-graph.ts";

const style = new URL("http://localhost/chat/assets/graph-1.css");
const steps = [
  { name: "größer", kind: "function" },
  { name: "inner", kind: "workflow", steps: [{ name: "hidden", kind: "function" }] },
];

/** A page that has the style sheet, and whose requests get these answers in turn. */
function graphsOf(...answers: (Response | Error)[]) {
  const asked: string[] = [];
  vi.stubGlobal("document", { styleSheets: [{ href: style.href }] });
  vi.stubGlobal("fetch", async (url: URL) => {
    asked.push(url.pathname);
    const answer = answers.shift() ?? new Error("One too many.");
    return await (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return { asked, graphs: new StepGraphs({ base: new URL("http://localhost/chat/"), graphStyle: style }) };
}

it("the graph of a workflow is read once, and again after a failure [page.workflow-graph]", async () => {
  const { asked, graphs } = graphsOf(
    new Error("offline"),
    new Response("{}", { status: 403 }),
    Response.json({ steps: [] }),
    Response.json({ steps }),
  );
  for (let failure = 0; failure < 3; failure++) expect(await graphs.load("é/w")).toBeUndefined();
  expect(graphs.known("é/w")).toBeUndefined();
  const [one, other] = await Promise.all([graphs.load("é/w"), graphs.load("é/w")]);

  expect(one?.declared).toEqual(steps);
  expect([other, graphs.known("é/w")]).toEqual([one, one]);
  expect(asked).toEqual(Array.from({ length: 4 }, () => "/chat/assets/workflows/%C3%A9%2Fw"));
});

it("a service without workflows is asked for no graph", async () => {
  const { asked, graphs } = graphsOf();
  const none = new StepGraphs({ base: new URL("http://localhost/"), graphStyle: undefined });

  expect(await none.load("w")).toBeUndefined();
  expect([asked, graphs.known("w")]).toEqual([[], undefined]);
});

it("a turn shows its graph instead of the steps without words, and keeps it open when it ends", async () => {
  const { graphs } = graphsOf(Response.json({ steps }));
  await graphs.load("w");
  const turn = {
    ...newTurn({ key: "k", kind: "workflow", name: "w", question: { text: "Q", files: [] } }),
    parts: [
      { type: "step", name: "größer", parts: [], status: "completed" } as const,
      { type: "step", name: "inner", parts: [{ type: "text", text: "Wörter" }] } as const,
    ],
  };
  const actions = { regenerate: () => undefined, answer: async () => await Promise.resolve() };
  const draw = (props: { turn: typeof turn }) =>
    createElement(
      StepGraphsContext.Provider,
      { value: graphs },
      createElement(TurnView, { ...props, actions, mayRegenerate: true, isLast: true }),
    );
  const { body, showWith } = showOnPage(draw, { turn });

  expect(body.one("summary").text).toMatch(/Steps1 of 2 done$/);
  expect(body.text).toMatch(/größerfunctioncompletedinnerworkflowrunning/);
  expect(body.all("Step größer")).toEqual([]);
  expect(body.one("Step inner").text).toContain("Wörter");
  expect(body.text).not.toContain("hidden");
  showWith({ turn: { ...turn, status: "cancelled" } as never });
  expect(body.text).toMatch(/innerworkflowinterrupted/);
  expect(body.all("details")[0]?.attributes["open"]).toBe("true");
});
