"""An AC-GAN for Keras, trained in single or mixed precision, and its commands."""
