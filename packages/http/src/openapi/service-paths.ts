import type { HttpParts } from "../settings/http-options.ts";
import { operation } from "./describe-operation.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { schedulePaths } from "./schedule-paths.ts";
import { storedRunPaths } from "./stored-run-paths.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiOperation, OpenApiPath } from "./open-api-spec.ts";

/**
 * Returns the OpenAPI paths that every router has, even without agents: lists, sessions, runs by their ids, health and
 * readiness. Includes schedules if the service's clients may have them.
 */
export function servicePaths({ settings }: HttpParts["service"]): Record<string, OpenApiPath> {
  const ofSchedules = settings.schedules === undefined ? {} : schedulePaths();
  return { ...listPaths(), ...sessionPaths(), ...storedRunPaths(), ...ofSchedules, ...statePaths() };
}

function listPaths(): Record<string, OpenApiPath> {
  const list = (id: string, collection: string, answer: string) => ({
    get: operation({
      id,
      tags: [collection],
      summary: `List the ${collection}`,
      description: `The name of each, by which it is run, and the forms of input that it takes.`,
      answer,
      errors: [500],
    }),
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
        summary: "List the sessions of the user who is signed in",
        description: "Those with the newest turn first.",
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
        summary: "List the turns of a session",
        description:
          "Oldest first. A page ends after `limit` turns or 8 MB, whichever comes first, and has at least one turn if there is one. " +
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
    description: "The data that a list of turns leaves out, by the number that it gives the part.",
    parameters: ["SessionId", "TurnNumber", "PartIndex"].map((name) => componentRef("parameters", name)),
    responses: {
      "200": {
        description: "Its bytes, with its own type.",
        headers: { "X-Request-Id": header("RequestId"), "Content-Disposition": header("Attachment") },
        // A part of a turn keeps the media type with which it was sent; client generators only support
        // `application/octet-stream`.
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
      description: "Its title, its times and the number of its turns, which `list_turns` returns.",
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
  const health = {
    summary: "Check that the process lives",
    description: "A probe of liveness: it asks no storage.",
  };
  const readiness = {
    summary: "Check that the service takes requests",
    description: "A probe of readiness: it fails while the storage fails, and from the beginning of a shutdown on.",
  };
  return {
    "/health": { get: operation({ id: "health", tags, ...health, answer: "Health", errors: [] }) },
    "/ready": { get: operation({ id: "ready", tags, ...readiness, answer: "Readiness", errors: [503] }) },
  };
}
