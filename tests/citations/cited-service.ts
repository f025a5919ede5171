import { a2a } from "@troupe/a2a";
import { agUi } from "@troupe/ag-ui";
import { Agent, InMemoryStorage, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { page } from "@troupe/page";
import { createAgentGateway } from "@troupe/socket";
import { chatStream } from "@troupe/use-chat";
import { Server } from "socket.io";
import { onTestFinished } from "vitest";

/** The address of a source of the service. The other source has none. */
export const address = "https://wiki.example.com/vacation";

/** The answer of the agent: a mark of each source. The model also writes a mark of a source that does not exist. */
export const cited = "Everyone has 25 days [1]. Bicycles are parked in the yard [2].";

/** Serves an agent that answers from two documents, over every protocol, on a port of its own. */
export async function serveCitations(): Promise<{ url: string }> {
  const knowledge = new KnowledgeBase({
    name: "handbook",
    vectorStore: new InMemoryVectorStore({ embeddings: new FakeEmbeddings() }),
  });
  await knowledge.addDocuments([
    {
      id: "vacation",
      content: "Everyone has 25 days of vacation a year. See also [2].",
      metadata: { title: "Vacation", url: address },
    },
    { id: "parking", content: "Bicycles are parked in the yard.", metadata: { title: "Parking – Fahrräder" } },
  ]);
  const model = new ScriptedModel().respond(({ messages }) => {
    if (messages.at(-1)?.role === "tool") return `${cited} And more [7].`;
    return { toolCalls: [{ name: "search_handbook", arguments: { query: "days of vacation a year" } }] };
  });
  const librarian = new Agent({
    name: "librarian",
    model,
    storage: new InMemoryStorage(),
    tools: [knowledge.asTool({ cite: true })],
  });
  const service = createService({ agents: { librarian }, authenticate: () => ({ userId: "ada" }) });
  const protocols = [http(), a2a(), mcp(), openaiApi(), chatStream(), agUi(), page()];
  const { server, url } = await serve(service, protocols, { port: 0, host: "127.0.0.1" });
  createAgentGateway({ service, io: new Server(server) });
  onTestFinished(async () => {
    await service.close();
    await knowledge.close();
  });
  return { url };
}
