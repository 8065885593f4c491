/** An OpenAPI document as the reference page reads it. */
import type { Schema } from "./schema.ts";

/** What the page reads of an OpenAPI document, as plain JSON. */
export interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Reference {
  readonly $ref: string;
}

/** An answer, or the component that it refers to. */
export function answerOf({ components }: Pick<Described, "components">, answer: Answer | Reference): Answer {
  if (!("$ref" in answer)) return answer;
  const name = answer.$ref.replace("#/components/responses/", "");
  return components.responses?.[name] ?? { description: name };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly description?: string;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

export interface Listed extends Operation {
  readonly method: string;
  readonly path: string;
}
