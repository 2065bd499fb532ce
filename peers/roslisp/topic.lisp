;;; Publisher, subscriber and echo over std_msgs/UInt8MultiArray. Also the package, and what all
;;; patterns use.

(defpackage :roslisp-peer
  (:use :cl)
  (:export #:main))

(in-package :roslisp-peer)

(defparameter *head-bytes* 32 "What changes in a payload from message to message, and its last 8.")

(defun publication-connected-p (publication)
  (not (null (roslisp::subscriber-connections publication))))

(defun subscription-connected-p (subscriber)
  (not (null (roslisp::publisher-connections (roslisp::subscriber-subscription subscriber)))))

(defun subscribe (topic type callback)
  (apply #'roslisp:subscribe topic type callback
         (unless (peer-kit:job-flag "keep_all") ; without a length the queue has no end
           (list :max-queue-length (peer-kit:job-number "depth")))))

(defun wait-until (seconds test)
  "Asks test every millisecond (roslisp has no event for it); an error when time is up."
  (let ((deadline (+ (peer-kit:now) (* seconds 1000000000))))
    (loop until (funcall test)
          do (when (> (peer-kit:now) deadline)
               (error "no match in time"))
             (sleep 0.001))))

;;; The pattern

(defun make-array-message (data)
  (flet ((dimension (label size stride)
           (make-instance 'std_msgs-msg:MultiArrayDimension :label label :size size :stride stride)))
    (let ((size (length data)))
      (make-instance
       'std_msgs-msg:UInt8MultiArray
       :layout (make-instance 'std_msgs-msg:MultiArrayLayout
                              :dim (vector (dimension "height" 1 size) (dimension "width" size size)
                                           (dimension "channel" 1 1))
                              :data_offset 0)
       :data data))))

(defun payload-publisher (publication size)
  "A function that publishes the payload as the kit has written it."
  (let* ((buffer (peer-kit:payload size))
         (data (make-array size :element-type '(unsigned-byte 8)))
         (message (make-array-message data)))
    (flet ((copy (from to)
             (loop for i from from below to do (setf (aref data i) (sb-sys:sap-ref-8 buffer i)))))
      (copy 0 size)
      (lambda ()
        (copy 0 (min size *head-bytes*))
        (copy (max 0 (- size 8)) size)
        (roslisp:publish publication message)))))

(defun on-array (message)
  (let* ((arrived (peer-kit:now))
         (data (std_msgs-msg:data message))
         (bytes (make-array (length data) :element-type '(unsigned-byte 8))))
    (map-into bytes #'identity data)
    (peer-kit:message arrived bytes message)))

(defun array-subscriber (topic)
  (subscribe topic "std_msgs/UInt8MultiArray" #'on-array))

(defun array-publication (topic)
  (roslisp:advertise topic "std_msgs/UInt8MultiArray" :latch (peer-kit:job-flag "transient_local")))

(defun make-publisher ()
  "With echo it subscribes when the other side has subscribed: two roslisp nodes that do so to each other
at the same moment wait for each other's lock, until both give up."
  (let ((publication (array-publication (peer-kit:job-text "topic")))
        subscriber)
    (list :matched (lambda ()
                     (and (publication-connected-p publication)
                          (or (not (peer-kit:job-flag "echo"))
                              (subscription-connected-p
                               (or subscriber
                                   (setf subscriber (array-subscriber (peer-kit:job-text "echo_topic"))))))))
          :publish (payload-publisher publication (peer-kit:job-number "payload_bytes")))))

(defun make-subscriber ()
  (let ((subscriber (array-subscriber (peer-kit:job-text "topic")))
        (publication (when (peer-kit:job-flag "echo")
                       (array-publication (peer-kit:job-text "echo_topic")))))
    (list :matched (lambda ()
                     (and (subscription-connected-p subscriber)
                          (or (null publication) (publication-connected-p publication))))
          :echo (lambda (message) (roslisp:publish publication message)))))

(defun make-topic ()
  "The functions of the pattern: a property list."
  (if (equal (peer-kit:job-text "role") "publisher") (make-publisher) (make-subscriber)))
