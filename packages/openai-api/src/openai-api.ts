import { TroupeError } from "@troupe/core";
import type { Exchange, Protocol, Route, Service } from "@troupe/core/transport";
import { answerChat } from "./chat/answer-chat.ts";
import { signInOpenWebUi } from "./identity/open-webui.ts";
import { ServedModels } from "./models/served-models.ts";
import { apiPaths, apiTag } from "./openapi/api-paths.ts";
import { apiSchemas } from "./openapi/api-schemas.ts";
import { responseRoutes } from "./responses/response-routes.ts";
import { waitingTools } from "./run/begin-run.ts";
import { readApiOptions } from "./settings.ts";
import type { ApiSettings, OpenAiApiOptions } from "./settings.ts";
import { failExchange, failResponse } from "./wire/api-error.ts";

/**
 * Makes the protocol that serves agents, teams and workflows as models of OpenAI's API: Chat Completions, and Responses
 * with state. Throws `invalid_config` for a wrong option.
 */
export function openaiApi(options: OpenAiApiOptions = {}): Protocol {
  const settings = readApiOptions(options);
  return {
    name: "openai-api",
    routes: (service: Service) => routesOf(service, settings),
    describe: () => ({ paths: apiPaths(settings), schemas: apiSchemas(), tags: [apiTag] }),
  };
}

function routesOf(service: Service, settings: ApiSettings): Route[] {
  const models = new ServedModels(service, settings.mayRun);
  const parts = { service, models, settings };
  const { basePath: base, chat } = settings;
  checkApprovals(models, settings);
  // The id of a model may have a slash, which some clients encode and others do not.
  const modelId = ({ path }: Exchange) => decodeURIComponent(path.slice(`${base}/models/`.length));
  const routes: Route[] = [
    { path: `${base}/models`, get: async (exchange) => exchange.sendJson(200, await listModels(exchange)) },
    { path: `${base}/models/*`, get: async (exchange) => exchange.sendJson(200, await describeModel(exchange)) },
    ...(chat === false
      ? []
      : [{ path: `${base}/chat/completions`, post: async (exchange: Exchange) => await answerChat(exchange, parts) }]),
  ];
  return [
    ...routes.map((route) => ({ ...route, fail: failExchange })),
    ...responseRoutes(parts, base).map((route) => ({ ...route, fail: failResponse })),
  ];

  async function listModels(exchange: Exchange): Promise<object> {
    signInOpenWebUi(exchange, settings.openWebUi);
    return await models.list(exchange);
  }

  async function describeModel(exchange: Exchange): Promise<object> {
    signInOpenWebUi(exchange, settings.openWebUi);
    return models.describe(await models.find(exchange, modelId(exchange), "model"));
  }
}

/**
 * Throws `invalid_config` if a tool needs approval, but the option `approvals` is missing: Chat Completions cannot
 * ask for approval.
 */
function checkApprovals(models: ServedModels, { chat }: ApiSettings): void {
  if (chat === false || chat.approvals !== undefined) return;
  for (const model of models.all) {
    const [tool] = waitingTools(model).approvals;
    if (tool === undefined) continue;
    throw new TroupeError(
      "invalid_config",
      `The tool "${tool}" of the ${model.kind} "${model.name}" needs approvals, for which Chat Completions have no place. Set chat.approvals of openaiApi to "deny" or "approve", or chat to false.`,
    );
  }
}
