import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { answer, answerRounds } from "./rounds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../node_modules/@langchain/langgraph/package.json", import.meta.url)));
const State = Annotation.Root({ outline: Annotation(), draft: Annotation(), review: Annotation() });
const checkpointer = PostgresSaver.fromConnString(process.argv[2]);
await checkpointer.setup();
const graph = new StateGraph(State)
  .addNode("write outline", async () => ({ outline: answer }))
  .addNode("write draft", async () => ({ draft: answer }))
  .addNode("write review", async () => ({ review: answer }))
  .addEdge(START, "write outline")
  .addEdge("write outline", "write draft")
  .addEdge("write draft", "write review")
  .addEdge("write review", END)
  .compile({ checkpointer });
// A checkpoint is stored before the next step begins, as with the other products.
answerRounds(version, async () => {
  await graph.invoke({}, { configurable: { thread_id: randomUUID() }, durability: "sync" });
});
