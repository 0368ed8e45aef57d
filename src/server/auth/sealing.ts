import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Makes the functions that digest and seal under the server's key; digests for different purposes are unrelated. */
export function createSealing(serverKey: Buffer) {
  const key = createSecretKey(serverKey);
  const digest = (purpose: string, facts: readonly string[]): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, ...facts]))
      .digest();
  return {
    digest,
    /** Encrypts a text (AES-256-GCM) under a key that follows from the facts and is kept nowhere. */
    seal(facts: readonly string[], text: string): Buffer {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, digest('seal', facts), nonce);
      const sealed = [sealing.update(text, 'utf8'), sealing.final()];
      return Buffer.concat([nonce, sealing.getAuthTag(), ...sealed]);
    },
    /** Opens a seal made with the same facts; throws for other facts and for damaged bytes. */
    open(facts: readonly string[], sealed: Buffer): string {
      const opening = createDecipheriv(cipher, digest('seal', facts), sealed.subarray(0, nonceBytes));
      opening.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8');
    },
  };
}
