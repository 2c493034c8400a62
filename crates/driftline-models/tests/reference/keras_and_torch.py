"""Numbers that the network engine is compared with: gradients, losses, statistics and outputs of Keras and PyTorch.

    python keras_and_torch.py keras > keras.json
    python keras_and_torch.py torch > torch.json

Weights, images and targets follow a formula that both sides compute, so only results are stored: the norm of every
gradient tensor and its products with 24 fixed directions, the losses of 50 steps on the same 5 batches in turn
(Keras: Adam, PyTorch: SGD with momentum), the moving statistics after them (with today's operation and with the fused one
of 2019), and probabilities of 4 images. Dropout is off. Runs on the CPU, in single precision but for the gradients: in
single precision the frameworks' own are off by up to 3e-5 on the odd network.
"""
import copy
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np

STEPS, BATCHES, BATCH, DIRECTIONS = 50, 5, 32, 24


def wave(n, salt):
    """Numbers in [-1, 1) from integer arithmetic alone: the same bits in every language."""
    i = np.arange(n, dtype=np.uint64) + np.uint64(1 + 7919 * salt)
    h = (i * np.uint64(2654435761)) % np.uint64(2**32)
    h = h ^ (h >> np.uint64(15))
    h = (h * np.uint64(2246822519)) % np.uint64(2**32)
    h = h ^ (h >> np.uint64(13))
    return ((h >> np.uint64(8)).astype(np.float64) / 2.0**23 - 1.0).astype(np.float32)


def kernel(shape, salt):
    """Scaled like a Glorot-uniform kernel, so that 50 steps stay tame."""
    area = int(np.prod(shape[:-2], initial=1))
    limit = np.float32(np.sqrt(6.0 / (area * (shape[-2] + shape[-1]))))
    return (wave(int(np.prod(shape)), salt) * limit).reshape(shape)


def data(height, channels, classes):
    n = BATCHES * BATCH
    x = ((wave(n * height * height * channels, 2000) + 1) / 2).reshape(n, height, height, channels)
    labels = (np.arange(n) * 7 + np.arange(n) // 3) % classes
    # A class brightens one row, so that there is something to learn.
    for row in range(n):
        x[row, labels[row] % height] += np.float32(1.0)
    return x, labels


def projections(gradient, salt):
    flat = np.asarray(gradient, dtype=np.float64).ravel()
    directions = [wave(flat.size, 5000 + 100 * salt + d).astype(np.float64) for d in range(DIRECTIONS)]
    return {
        "norm": float(np.linalg.norm(flat)),
        "along": [float(flat @ d / np.linalg.norm(d)) for d in directions],
    }


NETS = {
    # name: (height, channels, classes, list of layers)
    "paper": (28, 1, 10, [("conv", 32), ("conv", 32), ("conv", 32), ("norm",), ("flatten",), ("output",)]),
    "odd": (9, 2, 3, [("conv", 5), ("norm",), ("conv", 20), ("flatten",), ("dense", 12), ("norm",), ("output",)]),
}


def keras_net(name):
    import keras

    height, channels, classes, layers = NETS[name]
    inputs = keras.Input((height, height, channels))
    x = inputs
    for layer in layers:
        match layer:
            case ("conv", n):
                x = keras.layers.Conv2D(n, 5, 2, padding="same", activation="relu")(x)
            case ("norm",):
                x = keras.layers.BatchNormalization(momentum=0.99, epsilon=1e-3)(x)
            case ("flatten",):
                x = keras.layers.Flatten()(x)
            case ("dense", n):
                x = keras.layers.Dense(n, activation="relu")(x)
            case ("output",):
                x = keras.layers.Dense(classes, activation="softmax")(x)
    model = keras.Model(inputs, x)
    salt = 0
    for variable in model.trainable_variables:
        shape = tuple(variable.shape)
        if len(shape) > 1:
            variable.assign(kernel(shape, salt))
        salt += 1
    return model


def keras_gradients(name):
    import keras
    import tensorflow as tf

    height, channels, classes, _ = NETS[name]
    x, labels = data(height, channels, classes)
    keras.config.set_floatx("float64")
    model = keras_net(name)
    with tf.GradientTape() as tape:
        y = model(x[:BATCH].astype(np.float64), training=True)
        loss = keras.losses.SparseCategoricalCrossentropy()(labels[:BATCH], y)
    found = tape.gradient(loss, model.trainable_variables)
    keras.config.set_floatx("float32")
    return [projections(g.numpy(), i) for i, g in enumerate(found)]


def run_keras(name):
    import keras
    import tensorflow as tf

    height, channels, classes, _ = NETS[name]
    x, labels = data(height, channels, classes)
    model = keras_net(name)
    loss_function = keras.losses.SparseCategoricalCrossentropy()
    optimizer = keras.optimizers.Adam(1e-3, 0.9, 0.999, 1e-7)
    norms = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    before = keras.Model(model.inputs, [norm.input for norm in norms])
    # What the fused operation, which convolutions used when the paper was written, hands to the moving averages.
    moving = [[np.zeros(n.gamma.shape[0]), np.ones(n.gamma.shape[0])] for n in norms]
    losses = []
    for step in range(STEPS):
        rows = slice((step % BATCHES) * BATCH, (step % BATCHES + 1) * BATCH)
        # A look at what the batch norms will get; it must not move their own averages.
        kept = [v.numpy() for v in model.non_trainable_variables]
        seen = before(x[rows], training=True)
        for variable, value in zip(model.non_trainable_variables, kept):
            variable.assign(value)
        for averages, norm, value in zip(moving, norms, tf.nest.flatten(seen)):
            if len(value.shape) == 4:
                _, mean, variance = tf.compat.v1.nn.fused_batch_norm(
                    value, norm.gamma, norm.beta, epsilon=1e-3, is_training=True
                )
            else:
                mean, variance = tf.nn.moments(value, [0])
            for average, new in zip(averages, (mean, variance)):
                average += 0.01 * (new.numpy() - average)
        with tf.GradientTape() as tape:
            loss = loss_function(labels[rows], model(x[rows], training=True))
        found = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(found, model.trainable_variables))
        losses.append(float(loss))
    return {
        "gradients": keras_gradients(name),
        "losses": losses,
        "statistics": [v.numpy().tolist() for v in model.non_trainable_variables if "moving" in v.path],
        "fused_statistics": [average.tolist() for averages in moving for average in averages],
        "probabilities": model(x[:4], training=False).numpy().tolist(),
    }


def run_torch(name):
    import torch

    torch.manual_seed(0)
    height, channels, classes, layers = NETS[name]
    x, labels = data(height, channels, classes)
    modules, size, depth, features = [], height, channels, None
    for layer in layers:
        match layer:
            case ("conv", n):
                modules += [torch.nn.Conv2d(depth, n, 5, 2, padding=2), torch.nn.ReLU()]
                size, depth = (size + 4 - 5) // 2 + 1, n
            case ("norm",):
                kind = torch.nn.BatchNorm2d if features is None else torch.nn.BatchNorm1d
                modules.append(kind(depth if features is None else features, eps=1e-3, momentum=0.01))
            case ("flatten",):
                features = size * size * depth
                modules.append(Flatten())
            case ("dense", n):
                modules += [torch.nn.Linear(features, n), torch.nn.ReLU()]
                features = n
            case ("output",):
                modules.append(torch.nn.Linear(features, classes))
    model = torch.nn.Sequential(*modules)
    salt = 0
    with torch.no_grad():
        for parameter in model.parameters():
            shape = tuple(parameter.shape)
            if len(shape) == 4:
                parameter.copy_(torch.tensor(kernel((5, 5, shape[1], shape[0]), salt)).permute(3, 2, 0, 1))
            elif len(shape) == 2:
                parameter.copy_(torch.tensor(kernel((shape[1], shape[0]), salt)).T)
            else:
                # Biases 0; batch-norm scales are 1 already and shifts 0.
                if salt > 0 and not is_scale(model, parameter):
                    parameter.zero_()
            salt += 1
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    inputs = torch.tensor(x).permute(0, 3, 1, 2)
    targets = torch.tensor(labels)
    precise = copy.deepcopy(model).double()
    torch.nn.functional.cross_entropy(precise(inputs[:BATCH].double()), targets[:BATCH]).backward()
    gradients = [projections(ours(p.grad.numpy()), i) for i, p in enumerate(precise.parameters())]
    losses = []
    for step in range(STEPS):
        rows = slice((step % BATCHES) * BATCH, (step % BATCHES + 1) * BATCH)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs[rows]), targets[rows])
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    model.eval()
    statistics = []
    for module in model:
        if hasattr(module, "running_mean"):
            statistics += [module.running_mean.tolist(), module.running_var.tolist()]
    with torch.no_grad():
        probabilities = torch.softmax(model(inputs[:4]), 1).tolist()
    return {"gradients": gradients, "losses": losses, "statistics": statistics, "probabilities": probabilities}


def is_scale(model, parameter):
    import torch

    norms = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)
    return any(isinstance(m, norms) and m.weight is parameter for m in model)


def ours(gradient):
    """From PyTorch's layout to height, width, input, output."""
    if gradient.ndim == 4:
        return gradient.transpose(2, 3, 1, 0)
    return gradient.T if gradient.ndim == 2 else gradient


def Flatten():
    import torch

    class ChannelsLast(torch.nn.Module):
        """Height, width, channel order, as everywhere else."""

        def forward(self, x):
            return x.permute(0, 2, 3, 1).flatten(1)

    return ChannelsLast()


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.9g}")


def main():
    versions = {"python": sys.version.split()[0], "numpy": np.__version__}
    if sys.argv[1] == "keras":
        import keras
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()
        tf.random.set_seed(0)
        versions |= {"tensorflow": tf.__version__, "keras": keras.__version__}
        run = run_keras
    else:
        import torch

        torch.set_num_threads(1)
        versions |= {"torch": torch.__version__}
        run = run_torch
    result = {"versions": versions} | {name: rounded(run(name)) for name in NETS}
    json.dump(result, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
