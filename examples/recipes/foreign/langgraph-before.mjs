import assert from "node:assert/strict";
import { FakeListChatModel } from "@langchain/core/utils/testing";
// #region readme
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
// #endregion

const model = new FakeListChatModel({ responses: ["Oslo: bring an umbrella and a coat.", "Oslo: bring an umbrella."] });

// #region readme
const State = Annotation.Root({ city: Annotation(), draft: Annotation(), remark: Annotation() });

async function write({ city, remark = "" }) {
  const { content } = await model.invoke(`A slogan for ${city}. ${remark}`);
  return { draft: content };
}

function review({ draft }) {
  return { remark: interrupt({ question: `Remarks on "${draft}"?` }) };
}

const slogan = new StateGraph(State)
  .addNode("write", write)
  .addNode("review", review)
  .addEdge(START, "write")
  .addEdge("write", "review")
  .addConditionalEdges("review", ({ remark }) => (remark === "" ? END : "write"))
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "slogan-1" } };
await slogan.invoke({ city: "Oslo" }, config);
await slogan.invoke(new Command({ resume: "Shorter, please." }), config);
const { draft } = await slogan.invoke(new Command({ resume: "" }), config);
console.log(draft);
// #endregion

assert.equal(draft, "Oslo: bring an umbrella.");
