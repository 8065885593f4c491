/**
 * The service's DID document: by which key it signs receipts (did:web). It is served at /.well-known/did.json, and for a
 * public URL with a path at did.json below that.
 */
import { z } from "zod";
import { named } from "../docs/operations.ts";
import { constantReply } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { Payments } from "../payments/payments.ts";

const Document = z
  .object({
    "@context": z.array(z.string()),
    id: z.string().describe("did:web of the public URL"),
    verificationMethod: z
      .array(
        z.object({
          id: z.string().describe("As `kid` of what it signed"),
          type: z.literal("JsonWebKey2020"),
          controller: z.string(),
          publicKeyJwk: z.object({
            kty: z.literal("OKP"),
            crv: z.literal("Ed25519"),
            x: z.string().describe("Public key, base64url: `assay verify --receipt-key`"),
          }),
        }),
      )
      .describe("The key of receipts, and those that signed before it"),
    assertionMethod: z.array(z.string()).describe("The key that signs now"),
  })
  .meta({ id: "DidDocument" });

/** Where receipts are not signed, there are no such paths. */
export function didRoutes(receipts: Payments["receipts"]): Route[] {
  if (receipts === null) return [];
  const route = (path: string, operationId: "didDocument" | "didDocumentBelowPath"): Route =>
    defineRoute({
      path,
      ...named(operationId),
      tags: ["Operations"],
      auth: "public",
      responses: {
        200: { description: "The document", schema: Document },
        304: { description: "The client has it already" },
      },
      handle: constantReply(() => JSON.stringify(receipts.document()), "public, max-age=300"),
    });
  return [route("/.well-known/did.json", "didDocument"), route("/did.json", "didDocumentBelowPath")];
}
