import { errorResponseRefs } from "./error-responses.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiOperation, OpenApiResponse } from "./open-api-spec.ts";

/** The facts that differ between OpenAPI operations, such as the answer and the statuses of errors. */
export type OperationFacts = Pick<OpenApiOperation, "tags" | "summary" | "description" | "parameters"> & {
  id: string;
  /** The name of the answer's schema. If absent, the answer has no body. */
  answer?: string;
  errors: Parameters<typeof errorResponseRefs>;
};

/** Makes an operation of the OpenAPI document. Without `answer`, its success status is 204. */
export function operation({ id, answer, errors, ...more }: OperationFacts): OpenApiOperation {
  const headers = { "X-Request-Id": componentRef("headers", "RequestId") };
  const good: [status: string, response: OpenApiResponse] =
    answer === undefined
      ? ["204", { description: "Done.", headers }]
      : ["200", { description: "OK.", headers, content: { "application/json": { schema: schemaRef(answer) } } }];
  return { operationId: id, ...more, responses: { [good[0]]: good[1], ...errorResponseRefs(...errors) } };
}
