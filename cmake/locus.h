// The library of Locus, from the ground up: what a program finds that uses the CMake package Locus. It
// includes this, or those of the parts that it needs; a header that is not reached from here is no API and is
// not installed.
//
// Everything stands in the namespace locus. Link Locus::program for the command line with what you add to it
// (examples/encoding), or Locus::train, Locus::encodings and Locus::data for the libraries alone.
#pragma once

// Numbers. A Tensor is a shape and a buffer of Scalar; within an ArenaScope its memory comes from an arena.
// Positions say where tokens are. Failed requirements throw an Error, whose kind is the program's exit code.
// RandomStream is keyed by (seed, purpose, index). Workers are threads.
#include "framework/core/arena.h"
#include "framework/core/error.h"
#include "framework/core/parallel.h"
#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/core/tensor.h"

// Gradients. While a Recording is open, ops on Variables are put on its Tape; Tape::backward() adds the
// gradient of an output to the leaves. An op of your own calls record() with its value and its pullback.
#include "framework/autodiff/variable.h"

// Ops.
#include "framework/ops/attention.h"
#include "framework/ops/elementwise.h"
#include "framework/ops/embedding.h"
#include "framework/ops/loss.h"
#include "framework/ops/mask.h"
#include "framework/ops/matmul.h"
#include "framework/ops/norm.h"
#include "framework/ops/reduce.h"
#include "framework/ops/rotate.h"
#include "framework/ops/shape.h"
#include "framework/ops/softmax.h"

// Modules, whose named parameters live in one flat ParameterStore; the optimizer; the trainer, which cuts a
// batch into shards and gives the same bits on any number of threads and ranks; the loop around it.
#include "framework/nn/layers.h"
#include "framework/optim/adamw.h"
#include "framework/optim/schedule.h"
#include "framework/train/fit.h"

// Encodings and frequency rules, found by name in EncodingRegistry and FrequencyRegistry: a file that adds an
// entry to one of them is all that a new one takes. Transformer is a model with any of them; generate()
// samples from it.
#include "models/encoding.h"
#include "models/frequency_rule.h"
#include "models/generate.h"
#include "models/transformer.h"

// Text: corpora, their splits, and the batches of every step.
#include "data/batches.h"
#include "data/corpus.h"
