/** One problem of a value, reported by the `validate` of a Standard Schema. */
export type StandardIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Result of the `validate` of a Standard Schema: the checked value, or its problems. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A schema of the Standard Schema specification: it checks values and carries their types. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The options of a conversion to JSON Schema. */
type JsonSchemaRequest = {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: Record<string, unknown> | undefined;
};

/** A Standard Schema that can also describe itself as JSON Schema: zod 4, ArkType, Valibot through its adapter. */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] & {
    readonly jsonSchema: { readonly input: (request: JsonSchemaRequest) => Record<string, unknown> };
  };
}
