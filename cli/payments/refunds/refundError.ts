/** A refund that is not made; the message is for people. */
export class RefundError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RefundError";
  }
}
