import { operation } from "./describe-operation.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { keptRunPaths } from "./kept-run-paths.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiOperation, OpenApiPath } from "./open-api-spec.ts";

/**
 * Returns the OpenAPI paths that every router has, whatever is registered: lists, sessions, runs by their ids, health and
 * readiness.
 */
export function servicePaths(): Record<string, OpenApiPath> {
  return { ...listPaths(), ...sessionPaths(), ...keptRunPaths(), ...statePaths() };
}

function listPaths(): Record<string, OpenApiPath> {
  const list = (id: string, collection: string, answer: string) => ({
    get: operation({ id, tags: [collection], summary: `List the ${collection}`, answer, errors: [500] }),
  });
  return {
    "/agents": list("list_agents", "agents", "AgentList"),
    "/teams": list("list_teams", "teams", "TeamList"),
    "/workflows": list("list_workflows", "workflows", "WorkflowList"),
  };
}

function sessionPaths(): Record<string, OpenApiPath> {
  const [tags, id] = [["sessions"], componentRef("parameters", "SessionId")];
  const limit = componentRef("parameters", "Limit");
  return {
    "/sessions": {
      get: operation({
        id: "list_sessions",
        tags,
        summary: "List the sessions of the user who is signed in, those with the newest turn first",
        parameters: [limit, componentRef("parameters", "AfterSession")],
        answer: "SessionList",
        errors: [400, 401, 500, 503],
      }),
    },
    "/sessions/{id}": sessionPath(),
    "/sessions/{id}/turns": {
      get: operation({
        id: "list_turns",
        tags,
        summary: "List the turns of a session, oldest first",
        description:
          "A page ends after `limit` turns or 8 MB, whichever comes first, and has at least one turn if there is one. " +
          "Images, sounds and files are references, without their data.",
        parameters: [id, limit, componentRef("parameters", "AfterTurn"), componentRef("parameters", "InlineParts")],
        answer: "TurnList",
        errors: [400, 404, 500, 503],
      }),
      delete: operation({
        id: "delete_turns",
        tags,
        summary: "Delete the turns of a session from a number on",
        description: "To answer again or go on from an earlier point. Their numbers are not used again.",
        parameters: [id, componentRef("parameters", "FromTurn")],
        errors: [400, 404, 409, 500, 503],
      }),
    },
    "/sessions/{id}/turns/{seq}/parts/{index}": { get: partOperation() },
  };
}

function partOperation(): OpenApiOperation {
  const header = (name: string) => componentRef("headers", name);
  const bytes = { type: "string", format: "binary" };
  return {
    operationId: "read_part",
    tags: ["sessions"],
    summary: "Read an image, a sound or a file of a turn",
    parameters: ["SessionId", "TurnNumber", "PartIndex"].map((name) => componentRef("parameters", name)),
    responses: {
      "200": {
        description: "Its bytes, with its own type.",
        headers: { "X-Request-Id": header("RequestId"), "Content-Disposition": header("Attachment") },
        // A part has the type that it was sent with; generators of clients know the second alone.
        content: { "*/*": { schema: bytes }, "application/octet-stream": { schema: bytes } },
      },
      ...errorResponseRefs(400, 404, 500, 503),
    },
  };
}

function sessionPath(): OpenApiPath {
  const [tags, id] = [["sessions"], componentRef("parameters", "SessionId")];
  return {
    get: operation({
      id: "read_session",
      tags,
      summary: "Read a session",
      parameters: [id],
      answer: "Session",
      errors: [400, 404, 500, 503],
    }),
    patch: {
      ...operation({
        id: "rename_session",
        tags,
        summary: "Give a session a title",
        description: "No title that the service makes replaces it later.",
        parameters: [id],
        answer: "Session",
        errors: [400, 404, 413, 415, 500, 503],
      }),
      requestBody: { required: true, content: { "application/json": { schema: schemaRef("SessionChange") } } },
    },
    delete: operation({
      id: "delete_session",
      tags,
      summary: "Delete a session",
      description: "With its turns and memory, after the runs that are waiting for it.",
      parameters: [id],
      errors: [400, 404, 409, 500, 503],
    }),
  };
}

function statePaths(): Record<string, OpenApiPath> {
  const tags = ["service"];
  const [health, readiness] = ["Check that the process lives", "Check that the service takes requests"];
  return {
    "/health": { get: operation({ id: "health", tags, summary: health, answer: "Health", errors: [] }) },
    "/ready": { get: operation({ id: "ready", tags, summary: readiness, answer: "Readiness", errors: [503] }) },
  };
}
