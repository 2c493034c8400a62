"""One measurement of a framework on the paper's conv net: `frameworks.py keras|torch-eager|torch-tuned BATCH THREADS`."""
import json
import statistics
import sys
import time

import numpy as np

CANDIDATE, BATCH, THREADS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
IMAGES, ROUNDS = 4096, 5


def report(train, infer):
    """Medians of several rounds, after one that does not count."""
    train(), infer()
    seconds = lambda work: timed(work) / IMAGES
    trained = [seconds(train) for _ in range(ROUNDS)]
    inferred = [seconds(infer) for _ in range(ROUNDS)]
    result = {
        "train_images_per_second": 1 / statistics.median(trained),
        "inference_images_per_second": 1 / statistics.median(inferred),
    }
    print(json.dumps(result))


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def data():
    generator = np.random.default_rng(0)
    x = generator.random((IMAGES, 28, 28, 1), dtype=np.float32)
    return x, generator.integers(0, 10, IMAGES)


def keras():
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    layers = keras.layers
    convolutions = [layers.Conv2D(32, 5, 2, padding="same", activation="relu") for _ in range(3)]
    rest = [layers.Dropout(0.5), layers.BatchNormalization(), layers.Flatten(), layers.Dense(10, activation="softmax")]
    model = keras.Sequential([keras.Input((28, 28, 1)), *convolutions, *rest])
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy")
    x, y = data()
    report(
        lambda: model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0),
        lambda: model.predict(x, batch_size=BATCH, verbose=0),
    )


def torch(tuned):
    import torch
    from torch import nn

    torch.set_num_threads(THREADS)

    def convolution(channels, size):
        if tuned:
            return [nn.Conv2d(channels, 32, 5, 2, padding=2), nn.ReLU()]
        # The asymmetric padding of the paper's framework.
        zeros = max((-(-size // 2) - 1) * 2 + 5 - size, 0)
        before, after = zeros // 2, zeros - zeros // 2
        return [nn.ZeroPad2d((before, after, before, after)), nn.Conv2d(channels, 32, 5, 2), nn.ReLU()]

    layers = convolution(1, 28) + convolution(32, 14) + convolution(32, 7)
    layers += [nn.Dropout(0.5), nn.BatchNorm2d(32, eps=1e-3, momentum=0.01), nn.Flatten(), nn.Linear(512, 10)]
    model = nn.Sequential(*layers)
    x, y = data()
    x = torch.tensor(x).permute(0, 3, 1, 2)
    y = torch.tensor(y)
    if tuned:
        model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    else:
        x = x.contiguous()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True if tuned else None)

    def train():
        model.train()
        order = torch.randperm(IMAGES)
        for rows in order.split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()

    def infer():
        model.eval()
        with torch.inference_mode():
            for rows in torch.arange(IMAGES).split(BATCH):
                torch.softmax(model(x[rows[0] : rows[-1] + 1]), 1)

    report(train, infer)


if CANDIDATE == "keras":
    keras()
else:
    torch(CANDIDATE == "torch-tuned")
