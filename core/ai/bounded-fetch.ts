/**
 * A `fetch` that refuses redirects, unless asked to follow them, and fails if the body, compressed or not, has more than
 * `mostBytes`.
 */
export function boundedFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { redirect: 'error', ...init });
    if (response.body === null) return response;
    let bytes = 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) controller.error(new RangeError('The body is too large.'));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}
